import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "@/lib/api";

/** The review queue, page by page. */
export function useReview() {
  return useInfiniteQuery({
    queryKey: ["review"],
    queryFn: ({ pageParam }) => api.review(pageParam),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
  });
}
