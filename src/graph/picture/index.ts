export { layOut, yearScale } from './lay-out.ts';
export type { UnplacedNode } from './lay-out.ts';
export type { GraphPicture, PictureEdge, PictureEdgeKind, PictureEvidence, PictureNode } from './picture.ts';
