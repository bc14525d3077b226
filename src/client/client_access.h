#ifndef KINFORMER_SRC_CLIENT_CLIENT_ACCESS_H_
#define KINFORMER_SRC_CLIENT_CLIENT_ACCESS_H_

#include <memory>

#include <kinformer/client/client.h>

#include "src/client/rest_client.h"

namespace kinformer::internal {

/// Access to a Client's internals, for other components of the library.
struct ClientAccess {
  static const std::shared_ptr<RestClient>& Rest(const Client& client);
  static const std::shared_ptr<RestClient>& Rest(const ResourceClient& client) { return client.rest_; }
  static bool IsMetadataOnly(const ResourceClient& client) { return client.metadata_only_; }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_CLIENT_ACCESS_H_
