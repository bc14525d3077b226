#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_BACKEND_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_BACKEND_H_

// In:     keys and bytes
// Out:    see Backend; stored in an etcd
// Thread: the caller's, blocking on the network; each endpoint's Transport has an I/O thread
// Next:   ObjectStorage

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <kinformer/base/logger.h>
#include <kinformer/transport/tls_material.h>
#include <kinformer/transport/transport.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

/// As PEM.
struct EtcdTls {
  /// The CAs to trust; empty: the system's.
  std::string ca{};
  /// The client's certificate and its key; empty: none is presented.
  std::string certificate{};
  std::string key{};

  bool IsEmpty() const { return ca.empty() && certificate.empty() && key.empty(); }
};

struct EtcdBackendOptions {
  /// "https://127.0.0.1:2379". If one cannot be reached or has no leader, the next is tried.
  std::vector<std::string> endpoints{};
  /// For https endpoints, whose certificates are always verified. Not with http endpoints.
  EtcdTls tls{};
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(2);
  /// For a whole call to one endpoint.
  std::chrono::milliseconds request_timeout = std::chrono::seconds(10);
  /// A larger response is aborted. A range is then retried with smaller pages.
  std::size_t max_reply_bytes = std::size_t{64} << 20U;
  /// A watch that receives a larger frame ends with 410: a paged list needs less memory than the changes.
  std::size_t max_frame_bytes = std::size_t{64} << 20U;
  /// Target size of the pages of a range. Together with max_reply_bytes it bounds memory, here and in the etcd.
  std::size_t page_bytes = std::size_t{4} << 20U;
  Logger logger{};
};

/// A Backend in an etcd v3, over the HTTP gateway that every etcd serves: no gRPC is needed. Objects have the same keys
/// as with kube-apiserver ("/registry/pods/default/web-0"), as JSON.
///
/// A call that cannot reach an endpoint is tried on the next, each once. So is a read that breaks off; a write is not,
/// since it may have been made: kDisconnected. A watch that breaks off resumes on the next endpoint, and ends with
/// kDisconnected or kUnreachable only when every endpoint has failed in a row. It ends with 410 if the etcd sends a
/// frame larger than `max_frame_bytes`: a new watch from there would receive the same.
///
/// Progress is not reliable: the gateway cannot request it for a watch. Progress that an etcd reports on its own (every
/// ten minutes by default) is passed on if its version is known to report it correctly.
///
/// Ranges may return fewer keys than requested if the values are large: see EtcdPageSizes.
///
/// Each object with a TTL has its own lease, so that every expiry has its own revision.
///
/// @par Thread Safety
/// All functions may be called from any thread. Watches and ranges may outlive the backend; they keep the I/O threads.
class EtcdBackend final : public Backend {
 public:
  /// Starts the I/O threads, but does not connect yet. kInvalidConfig if there is no endpoint or a bad one, for a
  /// certificate without its key, and for TLS options with http endpoints.
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

  /// The version of the etcd that answers: "3.4.23".
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

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_ETCD_BACKEND_H_
