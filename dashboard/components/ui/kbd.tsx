export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center whitespace-nowrap rounded border border-line bg-sunken px-1 font-mono text-xs text-soft">
      {children}
    </kbd>
  );
}
