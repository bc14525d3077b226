#ifndef KINFORMER_TEST_INFORMER_POD_SERVER_H_
#define KINFORMER_TEST_INFORMER_POD_SERVER_H_

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/client/client.h>

namespace kinformer {

/// The TLS server behind a factory under test: pod "a" on node "n1" and pod "b" on node "n2", in namespace "default",
/// with the label app=web.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class PodServer {
 public:
  virtual ~PodServer() = default;

  virtual Config ClientConfig() const = 0;
  /// Returns the new version.
  virtual std::string SetPhase(const std::string& name, const std::string& phase) = 0;
  virtual void Delete(const std::string& name) = 0;
  /// Refuses all requests from now on (403, as user alice).
  virtual void Forbid() = 0;

  /// Path and query of each watch that was started.
  virtual std::vector<std::string> WatchTargets() const = 0;
  /// Waits until the client has closed the most recent watch.
  virtual bool AwaitLastWatchGone() = 0;
};

/// kScript: a scripted server; kApiServer: the real API server.
enum class PodServerKind { kScript, kApiServer };
void PrintTo(PodServerKind kind, std::ostream* out);

std::unique_ptr<PodServer> MakePodServer(PodServerKind kind);

inline auto BothPodServers() { return ::testing::Values(PodServerKind::kScript, PodServerKind::kApiServer); }
inline std::string PodServerName(const ::testing::TestParamInfo<PodServerKind>& one) {
  return one.param == PodServerKind::kApiServer ? "ApiServer" : "Script";
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_POD_SERVER_H_
