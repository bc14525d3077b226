#ifndef KINFORMER_EXAMPLES_POD_WATCHER_DISPLAY_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_DISPLAY_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/kinformer.h>

#include "command_line.h"

enum class Event { kAdded, kModified, kDeleted };

struct EventDetails {
  bool initial = false;  ///< Of kAdded: the pod is from the first list.
  bool final_state_unknown = false;
};

/// Shows what the informer reports. OnEvent, OnSynced and OnError may be called concurrently; they return at once.
class Display {
 public:
  virtual ~Display() = default;

  virtual void OnEvent(Event event, const kinformer::core::v1::Pod& pod, const EventDetails& details) = 0;
  virtual void OnSynced(std::size_t pods, const std::string& resource_version) = 0;
  virtual void OnError(const kinformer::Error& error) = 0;
  /// Until it is stopped, or the user quits.
  virtual void Run(const std::function<kinformer::InformerStatus()>& status, const std::stop_token& stop) = 0;
};

/// A line per event.
std::unique_ptr<Display> MakeLineDisplay(Output output);
/// A table on the terminal. `namespace_name`: empty for all.
std::unique_ptr<Display> MakeLiveDisplay(Output output, const std::string& namespace_name);

/// For --once.
void PrintAll(Output output, const std::vector<kinformer::core::v1::Pod>& pods);

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_DISPLAY_H_
