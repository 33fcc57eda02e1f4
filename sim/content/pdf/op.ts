import type { Piece } from './typeface.ts';

export interface Word {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

/** Drawing operations. `y` is measured from the top; text is placed on its baseline. Grey is 0 (black) to 1 (white). */
export type Op =
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly words: readonly Word[];
      readonly gap: number;
      /** Invisible text: no ink, white on white, or outside the page. */
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
      /** Grey values by row. */
      readonly pixels: Uint8Array;
      readonly columns: number;
    };
