#ifndef KINFORMER_EXAMPLES_POD_WATCHER_POD_TABLE_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_POD_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pod_row.h"

enum class SortOrder { kChanged, kName, kNamespace, kAge, kRestarts, kStatus, kNode };

/// "changed", "name", ...
std::string_view NameOf(SortOrder order);
/// In the order of the enumeration; the first after the last.
SortOrder Next(SortOrder order);

/// Counts of all pods, whatever the filter.
struct Summary {
  std::size_t pods = 0;
  std::array<std::size_t, 5> by_phase{};  ///< Indexed by Phase.
  std::size_t not_ready = 0;              ///< Phase Running, but not ready.
  std::int64_t restarts = 0;

  std::size_t Of(Phase phase) const { return by_phase[static_cast<std::size_t>(phase)]; }
};

/// Pods by "namespace/name": their new row, or nullopt if they are gone.
using Changes = std::unordered_map<std::string, std::optional<PodRow>>;

/// The pods: those that match the filter, in the chosen order. Changing k of n pods costs O(n + k log k), a new order
/// or filter O(n log n).
///
/// @par Thread Safety
/// None: one thread at a time.
class PodTable {
 public:
  void Apply(Changes&& changes);
  void SortBy(SortOrder order, bool reversed);
  /// Keeps pods whose "namespace/name", status or node contains the text, ignoring case.
  void FilterBy(std::string_view text);

  std::size_t size() const { return shown_.size(); }
  /// Valid until the next change of the table.
  const PodRow& operator[](std::size_t position) const { return shown_[position]->row; }
  /// Where a pod stands; nullopt if it is gone or filtered out.
  std::optional<std::size_t> Find(const std::string& key) const;

  const Summary& summary() const { return summary_; }
  SortOrder order() const { return order_; }
  bool reversed() const { return reversed_; }

 private:
  struct Entry {
    PodRow row{};
    bool touched = false;
  };

  bool Less(const Entry* a, const Entry* b) const;
  bool Matches(const PodRow& row) const;
  void Count(const PodRow& row, int by);
  /// Moves entries into shown_, which holds none of them.
  void Show(std::vector<const Entry*> entries);
  void ShowAll();

  std::unordered_map<std::string, Entry> entries_;
  std::vector<const Entry*> shown_;  ///< Sorted.
  Summary summary_;
  SortOrder order_ = SortOrder::kChanged;
  bool reversed_ = false;
  std::string filter_;  ///< In lower case.
};

std::string KeyOf(const PodRow& row);

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_POD_TABLE_H_
