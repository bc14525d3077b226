#ifndef KINFORMER_TEST_INFORMER_INFORMER_TEST_SERVER_H_
#define KINFORMER_TEST_INFORMER_INFORMER_TEST_SERVER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <kinformer/reflector/lister_watcher.h>

namespace kinformer {

/// How the server ends a watch.
enum class WatchEnding { kCleanly, kBroken, kExpired, kInternalError };

struct InformerTestServerOptions {
  bool streaming_lists = true;
};

/// The server behind an informer under test: ConfigMaps with one value each, in the namespaces "default", "a", "b" and
/// "c", and faults on demand. The informer must behave the same whether the server is in memory or behind a TLS
/// connection.
///
/// Versions are opaque: only those returned by Put and Tick may be used.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class InformerTestServer {
 public:
  /// name → (value, version)
  using Content = std::map<std::string, std::pair<std::string, std::string>>;

  virtual ~InformerTestServer() = default;

  /// The list/watch source of one namespace, for an informer. Must not outlive the server.
  virtual std::shared_ptr<ListerWatcher> Source(const std::string& namespace_name = "default") = 0;

  // Writes. Where there is a return value, it is the new version.
  virtual std::string Put(const std::string& name, const std::string& value,
                          const std::string& namespace_name = "default") = 0;
  /// No effect if the object does not exist.
  virtual void Remove(const std::string& name, const std::string& namespace_name = "default") = 0;
  /// Increases the version without a change visible to informers.
  virtual std::string Tick() = 0;
  /// Sends a bookmark with the current version to all open watches.
  virtual void SendBookmark() = 0;

  // Faults.
  /// Ends the test's only watch. It has ended on return, except with kBroken: then it may end at the next event.
  virtual void EndWatch(WatchEnding ending) = 0;
  /// Discards the history: a watch from an older version is refused (410).
  virtual void Compact() = 0;
  /// Refuses lists and watches of the namespace (403, for user alice) until Permit. Open watches continue.
  virtual void Forbid(const std::string& namespace_name = "default") = 0;
  virtual void Permit(const std::string& namespace_name = "default") = 0;
  /// Removes the kind (404) and ends its watch, until RestoreKind. Nothing can be written meanwhile.
  virtual void RemoveKind() = 0;
  virtual void RestoreKind() = 0;
  /// The next list fails (500).
  virtual void FailAList() = 0;
  /// The next watch is refused: throttled (429), or by a failed connection.
  virtual void FailAWatch(bool throttled) = 0;
  /// Sends an event twice.
  virtual void RepeatAnEvent() = 0;

  virtual Content Objects(const std::string& namespace_name = "default") = 0;
  /// Number of lists and watches started by informers.
  virtual std::size_t Requests(const std::string& namespace_name) = 0;
  /// Waits until `count` watches of informers are open, over all namespaces. In memory it checks just once.
  virtual bool AwaitOpenWatches(std::size_t count) = 0;
};

/// What is between an informer and its server.
enum class Between { kNothing, kTls };
void PrintTo(Between between, std::ostream* out);

std::unique_ptr<InformerTestServer> MakeInformerTestServer(Between between, InformerTestServerOptions options = {});

/// Runs every test of a suite over both servers: ".../InMemory" and ".../OverTls".
inline auto BothServers() { return ::testing::Values(Between::kNothing, Between::kTls); }
inline std::string ServerName(const ::testing::TestParamInfo<Between>& one) {
  return one.param == Between::kTls ? "OverTls" : "InMemory";
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_INFORMER_TEST_SERVER_H_
