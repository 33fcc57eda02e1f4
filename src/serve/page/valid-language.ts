// Chromium started without a locale says its language is "en-US@posix", which Intl refuses, and uPlot asks for numbers in
// that language when it is loaded. Imported before it.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}
