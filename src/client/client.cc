#include <kinformer/client/client.h>

#include <utility>

#include <kinformer/version.h>
#include <kinformer/views/core_v1.h>

#include "src/client/client_access.h"
#include "src/client/request_target.h"
#include "src/client/rest_client.h"
#include "src/config/server_url.h"
#include "src/transport/curl_transport.h"

namespace kinformer {
namespace {

std::string DefaultUserAgent() {
#if defined(__x86_64__)
  constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
  constexpr std::string_view kArchitecture = "arm64";
#else
  constexpr std::string_view kArchitecture = "unknown";
#endif
  return "kinformer/" + std::string(kVersion) + " (linux/" + std::string(kArchitecture) + ")";
}

/// Credentials must not be sent in clear text. client-go omits them if a kubeconfig names an http server; here that
/// applies to every Config.
Config WithoutCredentials(Config config) {
  config.client_certificate_data.clear();
  config.client_certificate_file.clear();
  config.client_key_data = Secret();
  config.client_key_file.clear();
  config.token = Secret();
  config.token_file.clear();
  config.username.clear();
  config.password = Secret();
  config.exec.reset();
  return config;
}

}  // namespace

struct Client::Impl {
  std::shared_ptr<internal::RestClient> rest;
  KindMapper mapper;
  std::string default_namespace;
};

Client::Client(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const std::shared_ptr<internal::RestClient>& internal::ClientAccess::Rest(const Client& client) {
  return client.impl_->rest;
}

Result<Client> Client::Create(const Config& config, const ClientOptions& options) {
  if (Result<void> valid = config.Validate(); !valid) return std::move(valid).error();
  const Result<std::string> server = internal::NormalizeServerUrl(config.server);
  const bool clear_text = server && !internal::IsHttps(*server);
  const Config used = clear_text ? WithoutCredentials(config) : config;
  if (clear_text && used != config) {
    options.logger.Warning("client", "the server's URL is plain http: no credentials are sent");
  }
  auto credentials = internal::Credentials::Create(used, options.clock, options.logger);
  if (!credentials) return std::move(credentials).error();
  std::shared_ptr<Transport> transport = options.transport;
  if (!transport) {
    auto curl = internal::CurlTransport::Create(
        {.server = config.server,
         .proxy_url = config.proxy_url.Reveal(),
         .user_agent = config.user_agent.empty() ? DefaultUserAgent() : config.user_agent,
         .logger = options.logger});
    if (!curl) return std::move(curl).error();
    transport = *std::move(curl);
  }
  auto rest = std::make_shared<internal::RestClient>(
      std::move(transport), *std::move(credentials),
      internal::RestClientOptions{.qps = options.qps,
                                  .burst = options.burst,
                                  .max_retries = options.max_retries,
                                  .compression = options.compression && !config.disable_compression,
                                  .max_response_bytes = options.max_response_bytes,
                                  .clock = options.clock,
                                  .logger = options.logger});
  return Client(std::make_shared<const Impl>(
      Impl{.rest = rest, .mapper = KindMapper(Discovery(rest)), .default_namespace = config.namespace_name}));
}

ResourceClient Client::Dynamic(Resource resource) const {
  return ResourceClient(impl_->rest, std::move(resource), impl_->default_namespace);
}

Result<ResourceClient> Client::DynamicFor(const GroupVersionKind& gvk, const std::stop_token& stop) const {
  Result<ApiResource> found = impl_->mapper.ForKind(gvk, stop);
  if (!found) return std::move(found).error();
  return Dynamic(std::move(found->resource));
}

Result<LogStream> Client::Logs(const NamespacedName& pod, const LogOptions& options,
                               const std::stop_token& stop) const {
  if (pod.name.empty()) return Error{.code = ErrorCode::kInvalidArgument, .message = "the pod's name is empty"};
  auto path = internal::ResourcePath(Resource::Of(core::v1::Pod::kInfo), {pod.namespace_name, pod.name, "log"});
  if (!path) return std::move(path).error();
  const auto number = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string(); };
  internal::RequestTarget target(*path);
  target.Add("container", options.container)
      .Add("follow", options.follow ? "true" : "")
      .Add("previous", options.previous ? "true" : "")
      .Add("timestamps", options.timestamps ? "true" : "")
      .Add("tailLines", number(options.tail_lines))
      .Add("limitBytes", number(options.limit_bytes))
      .Add("sinceSeconds", options.since ? std::to_string(options.since->count()) : "");
  auto open = impl_->rest->Open({.target = target.text(), .headers = {{"Accept", "*/*"}}}, stop);
  if (!open) return std::move(open).error();
  return LogStream(impl_->rest, std::move(open->stream));
}

Result<RawResponse> Client::Raw(Request request, const std::stop_token& stop) const {
  auto response = impl_->rest->Call(std::move(request), stop);
  if (!response) return std::move(response).error();
  return RawResponse{.head = std::move(response->head), .body = std::move(response->body)};
}

Discovery Client::GetDiscovery() const { return Discovery(impl_->rest); }

const KindMapper& Client::Mapper() const& { return impl_->mapper; }

const std::string& Client::DefaultNamespace() const& { return impl_->default_namespace; }

}  // namespace kinformer
