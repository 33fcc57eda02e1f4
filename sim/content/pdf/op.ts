import type { Piece } from './typeface.ts';

/** Pieces between two spaces. */
export interface Word {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

/** What is put on a page. `y` counts down from the top; text stands on its baseline. Grey goes from 0, black, to 1. */
export type Op =
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly words: readonly Word[];
      readonly gap: number;
      /** Drawn, but not to be seen: without ink, white on white, or outside of what is shown. */
      readonly hidden?: 'no-ink' | 'white' | 'clipped';
    }
  | {
      readonly kind: 'path';
      readonly points: readonly (readonly [number, number])[];
      readonly width: number;
      readonly grey: number;
    }
  | {
      readonly kind: 'area';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly grey: number;
    }
  | {
      readonly kind: 'picture';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      /** Grey values, row by row. */
      readonly pixels: Uint8Array;
      readonly columns: number;
    };
