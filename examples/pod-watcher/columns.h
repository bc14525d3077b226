#ifndef KINFORMER_EXAMPLES_POD_WATCHER_COLUMNS_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_COLUMNS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/meta/time.h>

#include "pod_table.h"

struct Column {
  enum class When { kAlways, kManyNamespaces, kWide, kNotWide };

  std::string_view title;
  When when;
  std::size_t minimum;  ///< May be cut to this width; where that is too wide, columns are left out.
  int rank;             ///< The column of the highest rank is left out first.
  SortOrder order;      ///< That goes by this column; kChanged if none does.
  std::string (*cell)(const PodRow& row, kinformer::Timestamp now);
};

struct PlacedColumn {
  const Column* column;
  std::size_t width;
};

inline constexpr std::size_t kColumnGap = 2;

/// Chooses columns and their widths: by the rows in sight, cut or left out where the terminal is narrow. A column does
/// not become narrower while rows come and go, else it would jump.
class ColumnLayout {
 public:
  ColumnLayout(bool many_namespaces, bool wide);

  /// Forgets the rows seen so far.
  void Reset() { widest_.clear(); }
  /// For the rows [first, last) of the table; the columns with their gaps fill at most `width`.
  std::vector<PlacedColumn> Place(const PodTable& table, std::size_t first, std::size_t last, std::size_t width,
                                  kinformer::Timestamp now);

 private:
  std::vector<const Column*> columns_;
  std::vector<std::size_t> widest_;  ///< Of each column; empty: nothing seen yet.
  std::size_t last_width_ = 0;
};

/// The title, with an arrow if the table is sorted by this column.
std::string TitleOf(const Column& column, const PodTable& table);

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_COLUMNS_H_
