// Run inside a page: every visible text whose contrast to what lies behind it is below 4.5, as a sentence each.
(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  // Reading a pixel back takes long, and a page has few colours.
  const known = new Map();
  /** Red, green, blue and alpha of a colour, however it is written. */
  const parse = (text) => {
    if (known.has(text)) return known.get(text);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const colour = [...canvas.getImageData(0, 0, 1, 1).data];
    known.set(text, colour);
    return colour;
  };
  const luminance = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    throw new Error('the page has no ground');
  };
  const faults = new Set();
  let texts = 0;
  const walker = document.createTreeWalker(document.querySelector('#report'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    // What is drawn on the image of a page stands on that; a control that cannot be used need not be read.
    if (node.textContent.trim() === '' || element.closest('svg, .printed-text, button:disabled, option')) continue;
    if (!element.checkVisibility()) continue;
    texts += 1;
    const [front, back] = [luminance(parse(getComputedStyle(element).color)), luminance(ground(element))];
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) faults.add(`${element.tagName} ${ratio.toFixed(2)} "${node.textContent.slice(0, 30)}"`);
  }
  return { texts, faults: [...faults] };
})();
