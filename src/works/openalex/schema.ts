import { z } from 'zod';

import { maybe, those, welcome } from '../maybe.ts';

/** What we read of OpenAlex's answers; everything else in them is let through unread. */
const source = z.object({
  type: maybe(z.string()),
  display_name: maybe(z.string()),
  host_organization_name: welcome(z.string()),
  issn: welcome(z.array(z.string())),
});
const named = z.object({ id: maybe(z.string()), display_name: maybe(z.string()) });
const works = welcome(z.array(z.string()));

export const openAlexLocation = z.object({
  id: maybe(z.string()),
  is_oa: maybe(z.boolean()),
  landing_page_url: maybe(z.string()),
  pdf_url: maybe(z.string()),
  license: welcome(z.string()),
  version: welcome(z.string()),
  source: welcome(source),
});

export const openAlexWork = z.object({
  id: z.string().optional(),
  doi: maybe(z.string()),
  title: maybe(z.string()),
  display_name: maybe(z.string()),
  publication_year: welcome(z.number()),
  type: welcome(z.string()),
  language: welcome(z.string()),
  ids: maybe(z.record(z.string(), maybe(z.union([z.string(), z.number()])))),
  is_retracted: maybe(z.boolean()),
  open_access: maybe(
    z.object({ is_oa: maybe(z.boolean()), oa_url: maybe(z.string()), oa_status: welcome(z.string()) }),
  ),
  authorships: welcome(
    those(
      z.object({
        author: maybe(z.object({ display_name: maybe(z.string()), orcid: welcome(z.string()) })),
        raw_author_name: welcome(z.string()),
        institutions: welcome(z.array(z.object({ display_name: maybe(z.string()), ror: maybe(z.string()) }))),
      }),
    ),
  ),
  primary_location: maybe(openAlexLocation),
  best_oa_location: maybe(openAlexLocation),
  locations: maybe(those(openAlexLocation)),
  has_content: welcome(z.object({ pdf: maybe(z.boolean()), grobid_xml: maybe(z.boolean()) })),
  content_urls: welcome(z.object({ pdf: maybe(z.string()), grobid_xml: maybe(z.string()) })),
  publication_date: welcome(z.string()),
  biblio: welcome(
    z.object({
      volume: maybe(z.string()),
      issue: maybe(z.string()),
      first_page: maybe(z.string()),
      last_page: maybe(z.string()),
    }),
  ),
  abstract_inverted_index: welcome(z.record(z.string(), z.array(z.number()))),
  referenced_works: works,
  related_works: works,
  cited_by_count: welcome(z.number()),
  topics: welcome(z.array(named)),
  keywords: welcome(z.array(named)),
  awards: welcome(z.array(z.object({ funder_display_name: maybe(z.string()), funder_award_id: maybe(z.string()) }))),
  funders: welcome(z.array(z.object({ display_name: maybe(z.string()), ror: maybe(z.string()) }))),
  updated_date: welcome(z.string()),
});

export const openAlexPage = z.object({
  meta: z.object({ count: maybe(z.number()), next_cursor: maybe(z.string()) }),
  results: z.array(z.unknown()),
});

export const openAlexTopics = z.object({
  results: z.array(z.object({ id: z.string(), display_name: z.string() })),
});

export const openAlexRefusal = z.object({
  message: maybe(z.string()),
  creditsRequired: maybe(z.number()),
  creditsRemaining: maybe(z.number()),
  dailyRemainingUsd: maybe(z.number()),
});

/** The fields asked for: root level only, as `select` demands. */
export const OPENALEX_SELECT = [
  'id',
  'doi',
  'title',
  'display_name',
  'publication_year',
  'type',
  'language',
  'ids',
  'is_retracted',
  'open_access',
  'authorships',
  'primary_location',
  'best_oa_location',
  'locations',
  'has_content',
  'content_urls',
  'publication_date',
  'biblio',
  'abstract_inverted_index',
  'referenced_works',
  'related_works',
  'cited_by_count',
  'topics',
  'keywords',
  'awards',
  'funders',
  'updated_date',
].join(',');
