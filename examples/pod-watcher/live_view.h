#ifndef KINFORMER_EXAMPLES_POD_WATCHER_LIVE_VIEW_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_LIVE_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/meta/time.h>

#include "columns.h"
#include "keys.h"
#include "pod_table.h"
#include "style.h"

struct LiveViewOptions {
  /// Empty: all, with the column NAMESPACE.
  std::string namespace_name{};
  /// More columns.
  bool wide = false;
  /// Without, bold and reverse video remain.
  bool colours = true;
  /// Without, the footer names none.
  bool keys = true;
};

/// The screen of the live table as lines of text. No input, no output, no clock.
///
/// The selected pod stays selected, at its place on the screen, while others come and go. The first row is an
/// exception: there the selection stays on top.
///
/// @par Thread Safety
/// None: one thread at a time.
class LiveView {
 public:
  explicit LiveView(LiveViewOptions options);

  void Apply(Changes changes);
  void SetEvents(std::uint64_t events) { events_ = events; }
  /// Why the watch is down; "" if it is not.
  void SetProblem(std::string_view problem);

  /// False: the user quits.
  bool Handle(const Key& key);

  /// `height` lines of at most `width` columns, with colours and attributes. Only the pods in sight are formatted.
  std::vector<std::string> Render(std::size_t width, std::size_t height, kinformer::Timestamp now);

 private:
  enum class Mode { kShowTable, kEditFilter, kShowHelp };

  void HandleFilter(const Key& key);
  void HandleTable(const Key& key);
  void SetFilter(std::string text);
  void SortBy(SortOrder order, bool reversed);
  /// The row at `position`, or the last one.
  void Select(std::size_t position);
  void SelectBy(std::ptrdiff_t rows);
  /// Moves the rows in sight so that the selected one is among them.
  void ScrollTo(std::size_t rows);

  std::vector<std::string> SummaryLines(std::size_t width, std::size_t max_lines) const;
  void AddTable(std::size_t width, std::size_t height, kinformer::Timestamp now, std::vector<std::string>& lines);
  std::string RowLine(const std::vector<PlacedColumn>& columns, std::size_t position, std::size_t width,
                      kinformer::Timestamp now) const;
  std::string FooterLine(std::size_t width) const;
  std::string FilterPrompt(std::size_t width) const;
  std::string Hints(std::size_t width) const;
  /// The style, or none where colours are off.
  Style Colour(const Style& style) const { return options_.colours ? style : kPlain; }

  const LiveViewOptions options_;
  PodTable table_;
  ColumnLayout layout_;
  std::uint64_t events_ = 0;
  std::string problem_;
  Mode mode_ = Mode::kShowTable;
  std::string filter_;
  std::size_t selected_ = 0;
  std::string selected_key_;  ///< Empty in the first row.
  std::size_t first_ = 0;     ///< In sight.
  std::size_t page_ = 1;      ///< Rows in sight.
};

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_LIVE_VIEW_H_
