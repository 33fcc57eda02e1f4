import type { Asking, FoundPlan } from './asking.ts';
import { ask, at, license, plan, shared, word } from './asking.ts';

/** PMC's cloud bucket: the newest version, its metadata, then PDF and XML. */
export async function cloudPlans(asking: Asking): Promise<FoundPlan[]> {
  const { settings, record, http } = asking;
  const pmcid = /PMC\d+/.exec(record.ids.pmcid ?? '')?.[0];
  if (!pmcid) return [];
  const listing = await http.fetch(`${settings.services['pmc']}/?list-type=2&prefix=${pmcid}.&delimiter=/`, {
    isInterface: true,
  });
  const versions =
    listing.kind === 'body' ? [...listing.body.toString('utf8').matchAll(/<Prefix>(PMC\d+\.(\d+))\/<\/Prefix>/g)] : [];
  const latest = versions.sort((a, b) => Number(b[2]) - Number(a[2]))[0]?.[1];
  if (!latest) return [];
  const data = await ask(asking, `${settings.services['pmc']}/metadata/${latest}.json`);
  return (['pdf_url', 'xml_url'] as const).flatMap((field) => {
    const s3 = word(at(data, field));
    if (!s3) return [];
    const url = s3.replace('s3://pmc-oa-opendata', settings.services['pmc'] ?? '').replace(/\?md5=.*/, '');
    return [
      plan(url, {
        expect: field === 'pdf_url' ? 'pdf' : 'xml',
        license: license(at(data, 'license_code')),
        version: at(data, 'is_manuscript') === true ? 'acceptedVersion' : 'publishedVersion',
      }),
    ];
  });
}

/** The archive: availability first, the index where it knows nothing. */
export async function archivePlans(asking: Asking): Promise<FoundPlan[]> {
  const { settings, record, gone } = asking;
  const plans: FoundPlan[] = [];
  for (const url of gone) {
    const known = await ask(asking, `${settings.services['wayback_available']}?url=${encodeURIComponent(url)}`);
    let stamp = word(at(known, 'archived_snapshots', 'closest', 'timestamp'));
    if (!stamp)
      stamp = word(
        at(
          await ask(
            asking,
            `${settings.services['wayback']}/cdx/search/cdx?url=${encodeURIComponent(url)}&output=json`,
          ),
          1,
          1,
        ),
      );
    const location = record.locations.find((one) => one.pdf_url === url);
    if (stamp)
      plans.push(
        plan(`${settings.services['wayback']}/web/${stamp}id_/${url}`, {
          ...(location && shared(location)),
          hostType: 'archive',
        }),
      );
  }
  return plans;
}
