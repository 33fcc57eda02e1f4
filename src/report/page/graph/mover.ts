import type { Sigma } from 'sigma';
import type { CameraState } from 'sigma/types';

import { html } from '../element.ts';

/** A frame that took longer than this is seen. */
const SLOW_MS = 33;
/** The hand rests when it has not moved for so long. */
const REST_MS = 120;
/** Steps farther apart than this are two movements. */
const LONGEST_STEP_MS = 5_000;

/**
 * Moves a drawing with its camera. Where drawing is quick every frame is drawn; where it is slow (many edges, no graphics
 * card) a still of the picture is moved, one layer instead of seven, and drawn anew when the hand rests.
 *
 *   still ──moved, quick──▶ still (drawn)
 *     │ moved, slow
 *     ▼
 *   moving ──moved──▶ moving (rest begins anew)
 *     └────rested──▶ still (drawn)
 */
export class Mover {
  readonly #sigma: Sigma;
  readonly #ground: HTMLElement;
  readonly #still = html('canvas', { class: 'still', hidden: true });
  #drawn: CameraState;
  #slow = false;
  /** When the hand moved last, while drawing counts as quick. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(sigma: Sigma, ground: HTMLElement) {
    this.#sigma = sigma;
    this.#ground = ground;
    const camera = sigma.getCamera();
    this.#drawn = camera.getState();
    ground.after(this.#still);
    // Sigma draws at every step of its camera; here that is ours to say.
    camera.removeAllListeners('updated');
    camera.on('updated', () => {
      // Drawn once more where it turns out slow: only then is there a still of it to move.
      if (this.#slow) this.#move();
      else void sigma.scheduleRender();
      this.#notice(performance.now());
    });
    sigma.on('afterRender', () => this.#wasDrawn());
  }

  /** Ends with the drawing. */
  stop(): void {
    clearTimeout(this.#rest);
    this.#still.remove();
    this.#ground.style.opacity = '';
  }

  #wasDrawn(): void {
    this.#drawn = this.#sigma.getCamera().getState();
    this.#ground.style.opacity = '';
    this.#still.hidden = true;
    // What WebGL has drawn can only be copied now.
    if (this.#slow) this.#copy();
    const at = performance.now();
    // The second frame from now is not given before this one is on the screen.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#judge(performance.now() - at)));
  }

  /** Steps of one movement that come this far apart were held up by drawing, whatever the frames in between said. */
  #notice(at: number): void {
    const apart = at - this.#movedAt;
    this.#movedAt = at;
    if (!this.#slow && apart > 3 * SLOW_MS && apart < LONGEST_STEP_MS) this.#slow = true;
  }

  #judge(tookMs: number): void {
    const slow = tookMs > 2 * SLOW_MS;
    if (slow && !this.#slow) this.#sigma.scheduleRender();
    // What was held up once stays slow until a drawing at rest is quick.
    this.#slow = slow || (this.#slow && tookMs > SLOW_MS);
  }

  #copy(): void {
    const layers = Object.values(this.#sigma.getCanvases());
    const [first] = layers;
    if (!first) return;
    [this.#still.width, this.#still.height] = [first.width, first.height];
    const context = this.#still.getContext('2d');
    for (const layer of layers) if (layer.width > 0) context?.drawImage(layer, 0, 0, first.width, first.height);
  }

  #move(): void {
    const state = this.#sigma.getCamera().getState();
    const scale = this.#drawn.ratio / state.ratio;
    const from = this.#sigma.graphToViewport({ x: 0, y: 0 }, { cameraState: this.#drawn });
    const to = this.#sigma.graphToViewport({ x: 0, y: 0 }, { cameraState: state });
    this.#still.style.transform = `matrix(${scale}, 0, 0, ${scale}, ${to.x - scale * from.x}, ${to.y - scale * from.y})`;
    this.#still.hidden = false;
    this.#ground.style.opacity = '0';
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#sigma.scheduleRender(), REST_MS);
  }
}
