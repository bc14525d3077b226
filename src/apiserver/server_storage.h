#ifndef KINFORMER_SRC_APISERVER_SERVER_STORAGE_H_
#define KINFORMER_SRC_APISERVER_SERVER_STORAGE_H_

// In:     the server's options
// Out:    the backend in memory, or etcd with its compactor
// Thread: any; Open and Close not concurrently with anything else
// Next:   KindInstaller

#include <memory>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/result.h>

#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/compactor.h"
#include "src/listwatch/storage/memory_backend.h"

namespace kinformer::apiserver {

class ServerStorage {
 public:
  Result<void> Open(const ApiServerOptions& options);
  /// Releases the backend; the last reference to it joins its thread.
  void Close();

  /// Null before Open.
  const std::shared_ptr<Backend>& backend() const { return backend_; }
  /// The same if it is in memory, else null.
  MemoryBackend* memory() const { return memory_.get(); }

 private:
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<MemoryBackend> memory_;
  std::unique_ptr<Compactor> compactor_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SERVER_STORAGE_H_
