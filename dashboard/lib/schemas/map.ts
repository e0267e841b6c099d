// The store as a graph: one node a note, links between notes that replace or name each other.
import * as z from "zod/mini";
import { noteType } from "./note";

export const mapNode = z.object({
  id: z.string(),
  title: z.string(),
  type: noteType,
  project: z.string(),
  machine_id: z.string(),
  tags: z.array(z.string()),
  superseded: z.boolean(),
});

export const mapLink = z.object({
  source: z.string(),
  target: z.string(),
  kind: z.enum(["supersedes", "mentions"]),
});

export const storeMap = z.object({ nodes: z.array(mapNode), links: z.array(mapLink) });

export type MapNode = z.infer<typeof mapNode>;
export type MapLink = z.infer<typeof mapLink>;
export type StoreMap = z.infer<typeof storeMap>;
