#ifndef KINFORMER_BENCH_KINFORMER_LOAD_EVENT_LOG_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_EVENT_LOG_H_

// In:     the lines of all watches
// Out:    whether each watch saw every creation once, all in the same order
// Thread: one
// Next:   WatcherPool

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::bench {

/// The names of created objects: a prefix and a number starting at 0.
std::string CreatedName(std::size_t number);

/// The global order of events. The first watch to see an event has it parsed and stored; for the others a cheap byte
/// comparison of the line suffices.
class EventLog {
 public:
  explicit EventLog(std::size_t creations) : created_(creations) { events_.reserve(creations); }

  enum class Kind { kCreation, kOther };
  /// Checks the next line of a watch that has seen `place` creations. An error means that the server misbehaved.
  Result<Kind> Check(std::string_view line, std::size_t place);

  /// The resourceVersion to resume from after `place` creations. Precondition: place > 0.
  const std::string& VersionAt(std::size_t place) const { return events_[place - 1].version; }
  std::size_t creations() const { return created_.size(); }

 private:
  struct Event {
    std::string line{};
    std::size_t number = 0;
    std::string version{};
  };
  struct Read {
    Kind kind = Kind::kOther;
    std::size_t number = 0;
    std::string_view version{};
  };
  Result<Read> ReadLine(std::string_view line) const;

  std::vector<Event> events_;
  std::vector<bool> created_;
  std::uint64_t last_version_ = 0;
};

/// Splits a body into lines.
class LineSplitter {
 public:
  /// Calls `each` with every complete line, without its newline, until it returns false.
  template <typename Each>
  bool Take(std::string_view bytes, Each each) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      if (end == std::string_view::npos) {
        rest_.append(bytes);
        return true;
      }
      std::string_view line = bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
      if (!rest_.empty()) line = rest_.append(line);
      const bool more = each(line);
      rest_.clear();
      if (!more) return false;
    }
    return true;
  }
  bool Empty() const { return rest_.empty(); }

 private:
  std::string rest_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_EVENT_LOG_H_
