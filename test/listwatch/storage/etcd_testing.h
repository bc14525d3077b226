#ifndef KINFORMER_TEST_LISTWATCH_STORAGE_ETCD_TESTING_H_
#define KINFORMER_TEST_LISTWATCH_STORAGE_ETCD_TESTING_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/listwatch/storage/etcd_backend.h"
#include "test/support/nghttpx.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::apiserver::testing_support {

/// One or three real etcd members on 127.0.0.1, with their data in a temporary directory. Use from one thread, which
/// must outlive them. Throws std::runtime_error if etcd is not installed or does not start.
class EtcdProcesses {
 public:
  /// Returns when all members are up and have a leader. `durable`: acknowledged writes are on disk. `ca`: members serve
  /// TLS with certificates of this CA and require client certificates; null: no TLS.
  explicit EtcdProcesses(std::size_t members, bool durable, const kinformer::testing_support::TestCa* ca = nullptr);
  ~EtcdProcesses();

  std::vector<std::string> urls() const;
  std::size_t size() const { return members_.size(); }
  /// kill -9.
  void Kill(std::size_t member);
  void KillAll();
  /// Keeps its data.
  void Restart(std::size_t member);
  void RestartAll();
  /// Waits until all running members answer linearizable reads.
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
  std::string ClientUrl(const Member& member) const;
  void WriteCertificates(const kinformer::testing_support::TestCa& ca);

  kinformer::testing_support::TempDir dir_;
  bool durable_;
  EtcdTls tls_;
  int attempt_ = 0;
  std::vector<Member> members_;
};

std::shared_ptr<EtcdBackend> ConnectTo(std::vector<std::string> urls, EtcdTls tls = {});

}  // namespace kinformer::apiserver::testing_support

#endif  // KINFORMER_TEST_LISTWATCH_STORAGE_ETCD_TESTING_H_
