#ifndef KINFORMER_SRC_APISERVER_STORAGE_ETCD_BACKEND_H_
#define KINFORMER_SRC_APISERVER_STORAGE_ETCD_BACKEND_H_

// In:     keys and bytes
// Out:    as Backend says, kept in an etcd
// Thread: the caller's, which waits for the network; each endpoint's Transport has an I/O thread
// Next:   ObjectStorage

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <kinformer/base/logger.h>
#include <kinformer/transport/transport.h>

#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

struct EtcdBackendOptions {
  /// "http://127.0.0.1:2379"; with several the next is tried where one cannot be reached or has no leader.
  std::vector<std::string> endpoints{};
  /// For https: whom to trust and who we are.
  std::shared_ptr<const internal::TlsMaterial> tls{};
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(2);
  /// A call to one endpoint, from beginning to end.
  std::chrono::milliseconds request_timeout = std::chrono::seconds(10);
  /// A longer answer is refused.
  std::size_t max_reply_bytes = std::size_t{512} << 20U;
  Logger logger{};
};

/// A Backend in an etcd v3, over the HTTP gateway that every etcd serves: no gRPC is needed. Objects lie where
/// kube-apiserver puts them ("/registry/pods/default/web-0"), as JSON.
///
/// A call that found nobody is tried on the next endpoint, each once. A read that broke in the middle is too; a write
/// is not, for it may have been made: that is kDisconnected. A watch that breaks goes on elsewhere from where it was,
/// and ends with kDisconnected or kUnreachable only when every endpoint has failed in a row.
///
/// Progress is not reliable: the gateway has no way to ask a watch for it. What an etcd says about it by itself (every
/// ten minutes, by default) is passed on where its version is one that can be trusted.
///
/// Objects with a time to live have a lease each, so that one expiry is one revision.
///
/// @par Thread Safety
/// All functions may be called from any thread. Watches and ranges may outlive it, and keep the I/O threads.
class EtcdBackend final : public Backend {
 public:
  /// Starts the I/O threads, but connects to nobody. kInvalidConfig for a bad endpoint, or none.
  static Result<std::unique_ptr<EtcdBackend>> Create(EtcdBackendOptions options);
  ~EtcdBackend() override;

  Result<WriteOutcome> Put(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl,
                           const std::stop_token& stop) override;
  Result<WriteOutcome> Delete(const std::string& key, Revision replaces, const std::stop_token& stop) override;
  Result<std::pair<std::optional<KeyValue>, Revision>> Get(const std::string& key,
                                                           const std::stop_token& stop) override;
  Result<RangeResult> Range(const RangeQuery& query, const std::stop_token& stop) override;
  std::unique_ptr<PullStream<RangeResult>> StartRange(RangeQuery query) override;
  Result<Revision> CurrentRevision(const std::stop_token& stop) override;
  std::unique_ptr<BackendWatch> Watch(const std::string& prefix, Revision after) override;
  void RequestProgress() override {}
  bool ProgressIsReliable() const override { return false; }
  Result<void> Compact(Revision revision, const std::stop_token& stop) override;

  /// The version of an etcd that answers: "3.4.23".
  Result<std::string> Version(const std::stop_token& stop);

 private:
  class Cluster;
  class Call;
  class RangeCall;
  class WatchCall;
  explicit EtcdBackend(std::shared_ptr<Cluster> cluster);

  Result<std::string> Send(const char* path, std::string body, bool is_write, Revision asked,
                           const std::stop_token& stop);

  const std::shared_ptr<Cluster> cluster_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_ETCD_BACKEND_H_
