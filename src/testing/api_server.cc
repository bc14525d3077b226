#include <kinformer/testing/api_server.h>

#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace kinformer::testing {

ApiServer::ApiServer(ApiServerOptions options) : server_(std::make_unique<kinformer::ApiServer>(std::move(options))) {
  if (auto started = server_->Start(); !started) {
    throw std::runtime_error("the API server of a test cannot start: " + ToString(started.error()));
  }
}

ApiServer::~ApiServer() = default;

kinformer::Client ApiServer::Client() const {
  auto client = kinformer::Client::Create(server_->ClientConfig());
  if (!client) throw std::runtime_error("no client for a test's API server: " + ToString(client.error()));
  return *std::move(client);
}

Result<void> ApiServer::Create(const std::string& json) const {
  nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return Error{.code = ErrorCode::kMalformed, .message = "not a JSON text"};
  if (!parsed.is_array()) parsed = nlohmann::json::array({std::move(parsed)});
  const kinformer::Client client = Client();
  for (const nlohmann::json& item : parsed) {
    const Result<ObjectPtr> object = Object::FromJson(item);
    if (!object) return object.error();
    const auto resource = client.DynamicFor((*object)->Gvk());
    if (!resource) return resource.error();
    if (const auto created = resource->Create(**object); !created) return created.error();
  }
  return {};
}

}  // namespace kinformer::testing
