#ifndef KINFORMER_BENCH_REPLAY_SERVER_POD_BYTES_H_
#define KINFORMER_BENCH_REPLAY_SERVER_POD_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::bench {

/// What varies each time a pod is sent. Both fields have a fixed width on the wire and are patched into prepared bytes.
struct Stamp {
  std::uint64_t version = 0;
  /// For the annotation bench/sent: nanoseconds since the epoch.
  std::uint64_t sent = 0;
};

struct ListPage {
  std::uint64_t version = 0;
  std::string continue_token{};
  std::size_t remaining = 0;
};

enum class EventType { kAdded, kModified };

/// Pods in one encoding, ready to be sent. Every Append costs no more than copying its bytes.
///
/// @par Thread Safety
/// Immutable; may be used from any thread.
class PodBytes {
 public:
  virtual ~PodBytes() = default;

  virtual std::string_view ListContentType() const = 0;
  virtual std::string_view WatchContentType() const = 0;
  /// `pods` are the ones AppendItem will be called with, in this order.
  virtual void AppendListHead(std::string& out, const ListPage& page, const std::vector<std::size_t>& pods) const = 0;
  virtual void AppendItem(std::string& out, std::size_t pod, const Stamp& stamp, bool first) const = 0;
  virtual void AppendListTail(std::string& out) const = 0;
  virtual void AppendEvent(std::string& out, EventType type, std::size_t pod, const Stamp& stamp) const = 0;
  virtual void AppendBookmark(std::string& out, std::uint64_t version, bool initial_events_end) const = 0;
  /// A 410 Expired event, which makes the client list again.
  virtual void AppendExpired(std::string& out) const = 0;
};

/// The generator's pods with the annotation bench/sent, one JSON text each, with placeholders for the Stamp. Two more
/// follow: a bookmark, and the bookmark that ends the initial events.
std::vector<std::string> StampedPods(std::size_t count);

std::unique_ptr<const PodBytes> JsonPodBytes(const std::vector<std::string>& stamped);
/// `file` is the output of client-go-peer --encode-pods for StampedPods. Throws std::runtime_error if it does not
/// match.
std::unique_ptr<const PodBytes> ProtobufPodBytes(const std::string& file, std::size_t count);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_REPLAY_SERVER_POD_BYTES_H_
