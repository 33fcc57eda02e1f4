import { z } from 'zod';

import { maybe, validItems, lenient } from '../maybe.ts';

/** The fields we read of OpenAlex's responses. */
const source = z.object({
  type: maybe(z.string()),
  display_name: maybe(z.string()),
  host_organization_name: lenient(z.string()),
  issn: lenient(z.array(z.string())),
});
const named = z.object({ id: maybe(z.string()), display_name: maybe(z.string()) });
const works = lenient(z.array(z.string()));

export const openAlexLocation = z.object({
  id: maybe(z.string()),
  is_oa: maybe(z.boolean()),
  landing_page_url: maybe(z.string()),
  pdf_url: maybe(z.string()),
  license: lenient(z.string()),
  version: lenient(z.string()),
  source: lenient(source),
});

export const openAlexWork = z.object({
  id: z.string().optional(),
  doi: maybe(z.string()),
  title: maybe(z.string()),
  display_name: maybe(z.string()),
  publication_year: lenient(z.number()),
  type: lenient(z.string()),
  language: lenient(z.string()),
  ids: maybe(z.record(z.string(), maybe(z.union([z.string(), z.number()])))),
  is_retracted: maybe(z.boolean()),
  open_access: maybe(
    z.object({ is_oa: maybe(z.boolean()), oa_url: maybe(z.string()), oa_status: lenient(z.string()) }),
  ),
  authorships: lenient(
    validItems(
      z.object({
        author: maybe(z.object({ display_name: maybe(z.string()), orcid: lenient(z.string()) })),
        raw_author_name: lenient(z.string()),
        institutions: lenient(z.array(z.object({ display_name: maybe(z.string()), ror: maybe(z.string()) }))),
      }),
    ),
  ),
  primary_location: maybe(openAlexLocation),
  best_oa_location: maybe(openAlexLocation),
  locations: maybe(validItems(openAlexLocation)),
  has_content: lenient(z.object({ pdf: maybe(z.boolean()), grobid_xml: maybe(z.boolean()) })),
  content_urls: lenient(z.object({ pdf: maybe(z.string()), grobid_xml: maybe(z.string()) })),
  publication_date: lenient(z.string()),
  biblio: lenient(
    z.object({
      volume: maybe(z.string()),
      issue: maybe(z.string()),
      first_page: maybe(z.string()),
      last_page: maybe(z.string()),
    }),
  ),
  abstract_inverted_index: lenient(z.record(z.string(), z.array(z.number()))),
  referenced_works: works,
  related_works: works,
  cited_by_count: lenient(z.number()),
  topics: lenient(z.array(named)),
  keywords: lenient(z.array(named)),
  awards: lenient(z.array(z.object({ funder_display_name: maybe(z.string()), funder_award_id: maybe(z.string()) }))),
  funders: lenient(z.array(z.object({ display_name: maybe(z.string()), ror: maybe(z.string()) }))),
  updated_date: lenient(z.string()),
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

/** Fields to select; `select` accepts root level only. */
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
