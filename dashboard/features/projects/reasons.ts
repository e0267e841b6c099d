/** The label for each part of a note's worth. */
const REASONS: Record<string, string> = {
  pinned: "pinned",
  basic: "basic to the project",
  passing: "about a one-off event",
  branch: "about this branch",
  "other branch": "about another branch",
  moment: "about what was worked on last",
  "old session": "an older session",
  source: "not written by a person",
};

export function reasonOf(part: string): string {
  return REASONS[part] ?? part;
}
