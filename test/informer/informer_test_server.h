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

/// How a watch ends that its client has not ended.
enum class WatchEnding { kCleanly, kBroken, kExpired, kInternalError };

struct InformerTestServerOptions {
  bool streaming_lists = true;
};

/// The server behind an informer under test: ConfigMaps, each with one value, in the namespaces "default", "a", "b" and
/// "c", and what may go wrong with them. Tests say what happens; whether it happens in memory or at the other end of a
/// TLS connection, the informer must behave the same.
///
/// Versions are whatever the server makes of them: only those that Put and Tick returned mean anything.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class InformerTestServer {
 public:
  /// name → (value, version)
  using Content = std::map<std::string, std::pair<std::string, std::string>>;

  virtual ~InformerTestServer() = default;

  /// What an informer of one namespace lists and watches. Must not outlive the server.
  virtual std::shared_ptr<ListerWatcher> Source(const std::string& namespace_name = "default") = 0;

  // Writers. Those that return something return the new version.
  virtual std::string Put(const std::string& name, const std::string& value,
                          const std::string& namespace_name = "default") = 0;
  /// Nothing if it is not there.
  virtual void Remove(const std::string& name, const std::string& namespace_name = "default") = 0;
  /// Moves the version without a change that any informer sees.
  virtual std::string Tick() = 0;
  /// All open watches are told how far the server is.
  virtual void SendBookmark() = 0;

  // Faults.
  /// Of a test's only watch. It has ended when this returns, but for kBroken: a connection may break at the next event.
  virtual void EndWatch(WatchEnding ending) = 0;
  /// Forgets changes up to now: a watch from an older version is refused (410).
  virtual void Compact() = 0;
  /// Lists and watches of the namespace are refused (403, to the user alice) until they are permitted again. A watch
  /// that is open goes on.
  virtual void Forbid(const std::string& namespace_name = "default") = 0;
  virtual void Permit(const std::string& namespace_name = "default") = 0;
  /// There is no such kind (404), and its watch ends, until it comes back. Nothing can be written meanwhile.
  virtual void RemoveKind() = 0;
  virtual void RestoreKind() = 0;
  /// One list fails (500).
  virtual void FailAList() = 0;
  /// One watch is refused (429), or comes to nothing.
  virtual void FailAWatch(bool throttled) = 0;
  /// An event comes twice.
  virtual void RepeatAnEvent() = 0;

  virtual Content Objects(const std::string& namespace_name = "default") = 0;
  /// Lists and watches begun by informers.
  virtual std::size_t Requests(const std::string& namespace_name) = 0;
  /// True once so many watches of informers are open, in all namespaces; waits only for what takes its time.
  virtual bool AwaitOpenWatches(std::size_t count) = 0;
};

/// Between an informer and its server.
enum class Between { kNothing, kTls };
void PrintTo(Between between, std::ostream* out);

std::unique_ptr<InformerTestServer> MakeInformerTestServer(Between between, InformerTestServerOptions options = {});

/// Every test of the suite over both servers: ".../InMemory" and ".../OverTls".
inline auto BothServers() { return ::testing::Values(Between::kNothing, Between::kTls); }
inline std::string ServerName(const ::testing::TestParamInfo<Between>& one) {
  return one.param == Between::kTls ? "OverTls" : "InMemory";
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_INFORMER_TEST_SERVER_H_
