import { join } from 'node:path';

import { countByRule } from '../../sim/index.ts';
import type { CorpusFacts, SceneOptions } from '../../test/support/fleet-scene.ts';
import { childrenCpuSeconds, differences, doneTwice, FleetScene } from '../../test/support/fleet-scene.ts';
import { fleetStorm, undisturbed } from '../../test/support/fleet-storm.ts';
import { asked, checkOptions, numbers, someOf } from '../../test/support/options.ts';
import type { TestS3 } from '../../test/support/s3-server.ts';
import { S3_SERVERS, startS3 } from '../../test/support/s3-server.ts';

// npm run verify:fleet -- --store s3 [--servers s3rver,swift,faulty] [--processes 1,4,8] [--seeds 1] [--works 24]
//   [--profile calm] [--documents full] [--time-scale 0.05]
//   or: --store s3 --storms 30 [--first 1] [--seeds 1] [--works 8]: machines, database and store are killed, paused and slowed
// Processes in folders of their own make one corpus on a PostgreSQL server and an S3 server. Works, documents, passages,
// graph and account must equal those of one machine without store. Exit 1 on a difference or a violation.
//
// CPU seconds are of the program with its worker processes, not of the servers and the simulated web. With two numbers of
// works (--works 40,160 --processes 4) it also prints the throughput: documents per CPU second of a fleet with the second
// number, divided by those of one machine with the first, so that each machine makes as many documents as the single one.

const given = checkOptions({
  store: ['s3'],
  servers: S3_SERVERS.join(','),
  processes: '1,4,8',
  seeds: '1',
  works: '24',
  storms: 0,
  first: 1,
  profile: ['calm', 'politeness', 'realistic'],
  documents: ['plain', 'full'],
  timeScale: 0.05,
});
const { profile, timeScale, documents } = given;
const plan = asked(() => ({
  servers: someOf('servers', given.servers, S3_SERVERS),
  processes: numbers('processes', given.processes),
  seeds: numbers('seeds', given.seeds),
  works: numbers('works', given.works),
}));

/** What one machine makes of each world. */
const alone = new Map<string, { readonly facts: CorpusFacts; readonly cpu: number }>();
let [runs, wrong] = [0, 0];
let quiet: CorpusFacts | undefined;

for (let seed = given.first; seed < given.first + given.storms; seed += 1) {
  const [[worldSeed = 1], [works = 8]] = [plan.seeds, plan.works];
  const startedAt = performance.now();
  quiet ??= await undisturbed(worldSeed, works);
  const { faults, done } = await fleetStorm(worldSeed, quiet, { seed, works, machines: 3, disturbances: 5 });
  runs += 1;
  if (faults.length > 0) wrong += 1;
  const took = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${faults.length === 0 ? 'ok  ' : 'DIFF'} storm ${seed}: ${done.join('; ')}; ${took} s`);
  for (const fault of faults.slice(0, 12)) console.log(`     ${fault}`);
}
/** CPU seconds of a run and the documents it made. */
interface Cost {
  readonly cpu: number;
  readonly documents: number;
}

for (const name of given.storms > 0 ? [] : plan.servers)
  for (const seed of plan.seeds)
    for (const processes of plan.processes) {
      const costs: { readonly one: Cost; readonly fleet: Cost }[] = [];
      for (const works of plan.works) {
        await using store = await startS3(name, seed);
        if (store) costs.push(await verifyFleet({ name, seed, processes, works }, store));
        else console.log(`skip ${name}: not installed`);
      }
      const [few, many] = [costs.at(0), costs.at(-1)];
      if (!few || !many || few === many) continue;
      const [one, fleet] = [few.one, many.fleet].map(({ documents: made, cpu }) => made / cpu);
      const share = ((fleet ?? 0) / (one ?? 1)).toFixed(2);
      console.log(
        `     documents per CPU second: ${one?.toFixed(2)} alone, ${fleet?.toFixed(2)} in a fleet of ${processes}: throughput ${share} × ${processes}`,
      );
    }
console.log(`${runs} runs, ${wrong} with differences or broken rules`);
process.exitCode = wrong === 0 ? 0 : 1;

async function verifyFleet(
  run: { readonly name: string; readonly seed: number; readonly processes: number; readonly works: number },
  store: TestS3,
): Promise<{ readonly one: Cost; readonly fleet: Cost }> {
  const { name, seed, processes, works } = run;
  const startedAt = performance.now();
  const world = { seed, works, hosts: 8, profile, documents, timeScale, store };
  await using scene = await FleetScene.open(world);
  const wanted = alone.get(`${seed} ${works}`) ?? (await runAlone(world));
  alone.set(`${seed} ${works}`, wanted);
  const faults: string[] = [];
  let before = childrenCpuSeconds();
  const machines = Array.from({ length: processes }, (_, at) => scene.machine(`machine-${at + 1}`));
  for (const machine of machines) {
    const { code } = await machine.ended;
    if (code !== 0) faults.push(`a machine ended with ${code}: ${machine.stderr.slice(-500)}`);
  }
  const cpu = childrenCpuSeconds() - before;
  // What it costs to start a machine and find that all is done.
  before = childrenCpuSeconds();
  await using last = scene.machine('late');
  const { code } = await last.ended;
  if (code !== 0) faults.push(`a machine that came late ended with ${code}: ${last.stderr.slice(-500)}`);
  const idle = childrenCpuSeconds() - before;
  const indexed = machines.filter(
    ({ stdout }) => stdout !== '' && (JSON.parse(stdout) as { index: unknown }).index,
  ).length;
  // A machine that ends while another one still downloads builds it too, without the other's last documents.
  if (indexed === 0) faults.push('no machine has built the index');
  await scene.pull('reader');
  faults.push(...differences(wanted.facts, await scene.facts('reader')), ...doneTwice(join(scene.folder, 'reader')));
  const found = await scene.check('reader');
  for (const kind of ['missing', 'damaged', 'orphans'] as const)
    if (found[kind].length > 0) faults.push(`${found[kind].length} ${kind}: ${found[kind].slice(0, 3).join(', ')}`);
  const violations = scene.simulation.log.violations;
  const broken = Object.entries(countByRule(violations)).filter(([, times]) => times > 0);
  faults.push(...broken.map(([rule, times]) => `${rule} violated ${times} times`));
  runs += 1;
  if (faults.length > 0) wrong += 1;
  const [listed, made, passages] = [wanted.facts.works, wanted.facts.documents, wanted.facts.passages].map((fact) =>
    Number(fact.split(' ')[0]),
  );
  console.log(
    [
      faults.length === 0 ? 'ok  ' : 'DIFF',
      name.padEnd(6),
      `seed ${seed}`,
      `processes ${processes}`,
      `works ${listed} documents ${made} passages ${passages}`,
      `objects ${found.objects}`,
      `violations ${violations.length}`,
      `${wanted.cpu.toFixed(1)} CPU s alone, ${cpu.toFixed(1)} in the fleet, ${idle.toFixed(1)} to start and stop`,
      `${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    ].join('  '),
  );
  for (const fault of faults.slice(0, 12)) console.log(`     ${fault}`);
  return { one: { cpu: wanted.cpu, documents: made ?? 0 }, fleet: { cpu, documents: made ?? 0 } };
}

/** Against another simulated web: repeating the requests of another program would count as impolite. */
async function runAlone(world: SceneOptions): Promise<{ readonly facts: CorpusFacts; readonly cpu: number }> {
  await using scene = await FleetScene.open(world);
  const before = childrenCpuSeconds();
  await using one = scene.alone('alone');
  const { code } = await one.ended;
  if (code !== 0) throw new Error(`one machine ended with ${code}: ${one.stderr}`);
  const cpu = childrenCpuSeconds() - before;
  return { facts: await scene.facts('alone'), cpu };
}
