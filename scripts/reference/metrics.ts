import { cell, markdownTable, shapeOf, sourceFiles, splitBracket } from './source-text.ts';

const KINDS: Readonly<Record<string, string>> = {
  counter: 'counter',
  histogram: 'histogram',
  Counter: 'counter',
  UpDownCounter: 'up-down counter',
  ObservableUpDownCounter: 'up-down counter, read when collected',
  Histogram: 'histogram',
  ObservableGauge: 'gauge, read when collected',
};

/** The names of the labels with which an instrument is written to; one that is only observed has a callback. */
function labelsOf(text: string, instrument: string, declaredAt: number): string[] {
  const callback = text.indexOf('.addCallback(', declaredAt) + '.addCallback'.length;
  const [from, to] = instrument ? [0, text.length] : [callback, splitBracket(text, callback).end];
  const write = instrument ? new RegExp(`\\b${instrument}\\.(?:add|record)\\(`, 'g') : /\bresult\.observe\(/g;
  const labels = [...text.matchAll(write)]
    .filter(({ index }) => index >= from && index < to)
    .flatMap((match) => {
      const [, given = ''] = splitBracket(text, match.index + match[0].length - 1).parts;
      return given.startsWith('{') ? splitBracket(given, 0).parts.map((part) => part.split(':')[0]?.trim() ?? '') : [];
    });
  return [...new Set(labels)];
}

function metricsOf(text: string): string[][] {
  return [...text.matchAll(/(?:const (\w+) = )?(?:meter\s*\.create(\w+)|\b(counter|histogram))\((?=\s*')/g)].map(
    (match) => {
      const [name = '', options = '{}'] = splitBracket(text, match.index + match[0].length - 1).parts;
      // `counter` and `histogram` take the description itself, the methods of the meter an object with it.
      const described = options.startsWith('{')
        ? splitBracket(options, 0)
            .parts.find((part) => part.startsWith('description:'))
            ?.slice('description:'.length)
        : options;
      const labels = labelsOf(text, match[1] ?? '', match.index).map((label) => `\`${label}\``);
      return [
        `\`${shapeOf(name)}\``,
        KINDS[match[2] ?? match[3] ?? ''] ?? '',
        labels.join(', '),
        cell(shapeOf(described?.trim() ?? '')),
      ];
    },
  );
}

/** docs/reference/metrics.md, from the code that makes the instruments. */
export function metricsPage(): string {
  const sources = sourceFiles('src/telemetry/otel*.ts');
  const texts = sources.map(({ text }) => text).join('\n');
  const named = (pattern: RegExp): string => [...texts.matchAll(pattern)].map((match) => `\`${match[1]}\``).join(', ');
  return [
    '# Metrics and spans',
    [
      'Nothing is exported, and the OpenTelemetry SDK is not loaded, unless `telemetry.otlp_endpoint` or `telemetry.prometheus_port` is',
      'set; the SDK is an optional peer dependency. Metrics may have hosts and resolvers as labels, but never URLs.',
    ].join('\n'),
    markdownTable(
      ['metric', 'kind', 'labels', 'meaning'],
      sources.flatMap(({ text }) => metricsOf(text)),
    ),
    '## Spans',
    [
      `Spans are ${named(/\.start(?:Active)?Span\(\s*'([^']+)'/g)}. \`orchestrator.dispatch\` has the number of leased jobs (\`leased.count\`); \`job\` has`,
      `\`job.id\`, \`artifact.id\`, \`worker.id\`, \`attempt\` and \`job.state\`, and the events ${named(/\.addEvent\('([^']+)'/g)} when it had to wait.`,
    ].join('\n'),
  ].join('\n\n');
}
