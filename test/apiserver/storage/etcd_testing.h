#ifndef KINFORMER_TEST_APISERVER_STORAGE_ETCD_TESTING_H_
#define KINFORMER_TEST_APISERVER_STORAGE_ETCD_TESTING_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/apiserver/storage/etcd_backend.h"
#include "test/support/nghttpx.h"
#include "test/support/temp_dir.h"

namespace kinformer::apiserver::testing_support {

/// Real etcds on 127.0.0.1, one or three, with their data in a directory that goes with them. To be used from one
/// thread, which must outlive them. Throws std::runtime_error when etcd is not installed or does not start.
class EtcdProcesses {
 public:
  /// All are up and have a leader when it returns. `durable`: writes are on disk before they are acknowledged.
  explicit EtcdProcesses(std::size_t members, bool durable);
  ~EtcdProcesses();

  std::vector<std::string> urls() const;
  std::size_t size() const { return members_.size(); }
  /// As kill -9 does.
  void Kill(std::size_t member);
  void KillAll();
  /// With the data that it had.
  void Restart(std::size_t member);
  void RestartAll();
  /// All that run answer writes again.
  void AwaitHealthy();
  std::size_t Leader();

 private:
  struct Member {
    std::string name{};
    int client_port = 0;
    int peer_port = 0;
    std::unique_ptr<kinformer::testing_support::HelperProcess> process{};
  };
  void ChoosePorts();
  void StartMember(Member& member);
  std::string Log(const Member& member) const;

  kinformer::testing_support::TempDir dir_;
  bool durable_;
  int attempt_ = 0;
  std::vector<Member> members_;
};

std::shared_ptr<EtcdBackend> ConnectTo(std::vector<std::string> urls);

}  // namespace kinformer::apiserver::testing_support

#endif  // KINFORMER_TEST_APISERVER_STORAGE_ETCD_TESTING_H_
