#include "src/apiserver/server_storage.h"

#include <utility>

#include "src/apiserver/server_credentials.h"
#include "src/listwatch/storage/etcd_backend.h"

namespace kinformer::apiserver {

Result<void> ServerStorage::Open(const ApiServerOptions& options) {
  if (options.etcd_endpoints.empty()) {
    memory_ = std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = options.clock});
    memory_->Start();
    backend_ = memory_;
    return {};
  }
  if (Result<void> good = CheckEtcdTls(options); !good) return good;
  Result<std::unique_ptr<EtcdBackend>> etcd = EtcdBackend::Create({.endpoints = options.etcd_endpoints,
                                                                   .tls = {.ca = options.etcd_ca_pem,
                                                                           .certificate = options.etcd_certificate_pem,
                                                                           .key = options.etcd_key_pem.Reveal()},
                                                                   .logger = options.logger});
  if (!etcd) return Annotate(std::move(etcd).error(), "starting the API server");
  backend_ = *std::move(etcd);
  compactor_ =
      std::make_unique<Compactor>(backend_, CompactorOptions{.clock = options.clock, .logger = options.logger});
  compactor_->Start();
  return {};
}

void ServerStorage::Close() {
  compactor_.reset();
  memory_.reset();
  backend_.reset();
}

}  // namespace kinformer::apiserver
