#ifndef KINFORMER_EXAMPLES_POD_WATCHER_PROGRESS_BAR_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_PROGRESS_BAR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// Of the first list, while it is under way.
struct Progress {
  std::size_t pods = 0;
  std::uint64_t bytes = 0;
  /// Only an unfiltered paged list knows how many are to come.
  std::optional<std::int64_t> remaining{};
  double seconds = 0;
};

/// "1200 pods, 8.4 MB, 5000/s", with a bar before it where the total is known.
std::string ToString(const Progress& progress);

/// A line on standard error that is redrawn in place; the destructor clears it. Shows nothing unless that can draw, see
/// CanDraw.
class ProgressBar {
 public:
  explicit ProgressBar(bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Show(const Progress& progress);

 private:
  const bool enabled_;
  bool shown_ = false;
};

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_PROGRESS_BAR_H_
