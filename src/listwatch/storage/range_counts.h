#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_RANGE_COUNTS_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_RANGE_COUNTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

/// How many keys the next page of a list has left. The contents at a revision never change: a list read in pages is
/// counted once, not once per page. Keeps the last 64.
class RangeCounts {
 public:
  /// RangeResult::count for this query; zero: not known.
  std::int64_t Find(const RangeQuery& query) const {
    if (query.revision == 0 || query.start.empty()) return 0;
    const auto known = std::find_if(counts_.begin(), counts_.end(), [&](const Counted& counted) {
      return counted.revision == query.revision && counted.start == query.start && counted.prefix == query.prefix;
    });
    return known == counts_.end() ? 0 : known->count;
  }

  /// `result` answers `query`, and has its count.
  void Remember(const RangeQuery& query, const RangeResult& result) {
    const auto shown = static_cast<std::int64_t>(result.items.size());
    if (shown == 0 || shown == result.count) return;
    if (counts_.size() == kCapacity) counts_.pop_front();
    counts_.push_back({.prefix = query.prefix,
                       .start = result.items.back().key + '\0',
                       .revision = result.revision,
                       .count = result.count - shown});
  }

  void Clear() { counts_.clear(); }

 private:
  static constexpr std::size_t kCapacity = 64;
  struct Counted {
    std::string prefix{};
    std::string start{};
    Revision revision = 0;
    std::int64_t count = 0;
  };
  std::deque<Counted> counts_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_RANGE_COUNTS_H_
