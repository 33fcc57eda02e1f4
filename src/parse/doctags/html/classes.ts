import type { MarkupElement } from '../markup/node.ts';

/** The class names of an element. */
export function classesOf(element: MarkupElement): readonly string[] {
  const value = element.attributes['class'];
  return value === undefined || value === '' ? [] : value.split(/\s+/).filter((name) => name !== '');
}

export function hasClass(element: MarkupElement, name: string): boolean {
  const value = element.attributes['class'];
  return value !== undefined && value.includes(name) && classesOf(element).includes(name);
}

/** True when a class name matches. */
export function classMatches(element: MarkupElement, pattern: RegExp): boolean {
  return classesOf(element).some((name) => pattern.test(name));
}
