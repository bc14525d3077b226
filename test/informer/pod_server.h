#ifndef KINFORMER_TEST_INFORMER_POD_SERVER_H_
#define KINFORMER_TEST_INFORMER_POD_SERVER_H_

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/client/client.h>

namespace kinformer {

/// What a factory under test talks to, over TLS: the pods "a" on the node "n1" and "b" on "n2", in the namespace
/// "default" and with the label app=web.
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
  /// Whoever asks is refused (403), as the user alice.
  virtual void Forbid() = 0;

  /// Path and query of each watch that was begun.
  virtual std::vector<std::string> WatchTargets() const = 0;
  /// The watch that was begun last has been left by its client.
  virtual bool AwaitLastWatchGone() = 0;
};

/// kScript says line by line what a factory is to see; kApiServer is one.
enum class PodServerKind { kScript, kApiServer };
void PrintTo(PodServerKind kind, std::ostream* out);

std::unique_ptr<PodServer> MakePodServer(PodServerKind kind);

inline auto BothPodServers() { return ::testing::Values(PodServerKind::kScript, PodServerKind::kApiServer); }
inline std::string PodServerName(const ::testing::TestParamInfo<PodServerKind>& one) {
  return one.param == PodServerKind::kApiServer ? "ApiServer" : "Script";
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_POD_SERVER_H_
