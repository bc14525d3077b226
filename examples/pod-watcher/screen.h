#ifndef KINFORMER_EXAMPLES_POD_WATCHER_SCREEN_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_SCREEN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/kinformer.h>

#include "command_line.h"

enum class Event { kAdded, kModified, kDeleted };

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

/// What the watcher shows. Called by one thread at a time.
class Screen {
 public:
  virtual ~Screen() = default;
  virtual void OnProgress(const Progress& progress) = 0;
  virtual void OnEvent(Event event, const kinformer::core::v1::Pod& pod, bool final_state_unknown) = 0;
  virtual void OnSynced(std::size_t pods, const std::string& resource_version) = 0;
  virtual void OnError(const kinformer::Error& error) = 0;
  /// The whole cache; called when something has changed, a few times a second at the most.
  virtual void Draw(const std::vector<kinformer::core::v1::Pod>& pods) = 0;
};

/// The reason that kubectl shows in its STATUS column: the phase, or why a container does not run.
std::string StatusOf(const kinformer::core::v1::Pod& pod);

/// A live table where `terminal`, lines otherwise.
std::unique_ptr<Screen> MakeScreen(Output output, bool terminal);
/// For --once.
void PrintAll(Output output, const std::vector<kinformer::core::v1::Pod>& pods);

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_SCREEN_H_
