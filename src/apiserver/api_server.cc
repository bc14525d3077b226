#include <kinformer/apiserver/api_server.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <kinformer/base/task_pool.h>
#include <kinformer/meta/status_error.h>

#include "src/apiserver/access/authenticator.h"
#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/bootstrap_rbac.h"
#include "src/apiserver/access/escalation.h"
#include "src/apiserver/access/random_token.h"
#include "src/apiserver/access/rbac_authorizer.h"
#include "src/apiserver/audit/audit_log.h"
#include "src/apiserver/cacher/cacher.h"
#include "src/apiserver/crd/crd_manager.h"
#include "src/apiserver/crd/crd_rules.h"
#include "src/apiserver/endpoints/api_handler.h"
#include "src/apiserver/endpoints/resource_table.h"
#include "src/apiserver/faults/fault_injector.h"
#include "src/apiserver/file_writer.h"
#include "src/apiserver/http/certificates.h"
#include "src/apiserver/http/http_server.h"
#include "src/apiserver/kind_installer.h"
#include "src/apiserver/lifecycle/lifecycle_manager.h"
#include "src/apiserver/rbac_setup.h"
#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/reviews/reviews.h"
#include "src/apiserver/storage/compactor.h"
#include "src/apiserver/storage/etcd_backend.h"
#include "src/apiserver/storage/memory_backend.h"
#include "src/apiserver/watch/watch_server.h"
#include "src/base/base64.h"

namespace kinformer {
namespace {

using namespace apiserver;  // NOLINT(google-build-using-namespace)

constexpr const char* kAdministrator = "kinformer-admin";
/// Serving a kind takes milliseconds; this is for machines that are very busy.
constexpr std::chrono::seconds kServeTimeout{30};

bool IsWildcard(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

/// As in a URL.
std::string HostFor(const std::string& address) {
  if (address == "0.0.0.0") return "127.0.0.1";
  if (address == "::") return "[::1]";
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

/// Besides loopback.
ServerCertificateOptions CertificateFor(const std::string& bind_address) {
  ServerCertificateOptions options;
  if (!IsWildcard(bind_address)) options.hosts.push_back(bind_address);
  return options;
}

/// With a set of faults, which may be empty.
ApiServerOptions WithFaults(ApiServerOptions options) {
  if (options.faults == nullptr) options.faults = std::make_shared<Faults>();
  return options;
}

Authorizer AuthorizerOf(const std::function<AccessAnswer(const AccessRequest&)>& authorize) {
  if (!authorize) return AllowAuthenticated();
  return [authorize](const UserInfo& user, const RequestInfo& info) -> AccessDecision {
    if (user.InGroup(kUnauthenticatedGroup)) return {.allowed = IsPublic(info), .reason = {}};
    const AccessAnswer answer = authorize({.user = user.name,
                                           .groups = user.groups,
                                           .verb = info.verb,
                                           .group = info.group,
                                           .resource = info.resource,
                                           .subresource = info.subresource,
                                           .namespace_name = info.namespace_name,
                                           .name = info.name,
                                           .path = info.path});
    return {.allowed = answer.allowed, .reason = answer.reason};
  };
}

/// Of who may do everything.
UserRules AllRules() {
  return {.rules = {{.verbs = {"*"}, .api_groups = {"*"}, .resources = {"*"}},
                    {.verbs = {"*"}, .non_resource_urls = {"*"}}},
          .error = {}};
}

}  // namespace

class ApiServer::Impl {
 public:
  explicit Impl(ApiServerOptions options)
      : options_(WithFaults(std::move(options))),
        pool_(std::make_shared<TaskPool>(
            TaskPoolOptions{.threads = options_.task_threads, .clock = options_.clock, .logger = options_.logger})),
        resources_(std::make_shared<ResourceTable>()),
        watches_(*pool_) {}
  ~Impl() { Stop(); }

  Result<void> Start() {
    if (std::exchange(started_, true)) {
      return Error{.code = ErrorCode::kFailedPrecondition, .message = "the server has been started before"};
    }
    Result<void> result = StartAll();
    if (!result) Stop();
    return result;
  }

  void Stop() {
    // Watches first, so that their clients see a good end where they are quick enough.
    watches_.Stop();
    if (http_ != nullptr) http_->Stop();
    if (handler_ != nullptr) handler_->Stop();
    if (crds_ != nullptr) crds_->Stop();
    if (lifecycle_ != nullptr) lifecycle_->Stop();
    if (installer_ != nullptr) installer_->Stop();
    pool_->Stop();
    // Those above go before what they use; the last of the backend's users ends its thread.
    http_.reset();
    handler_.reset();
    crds_.reset();
    lifecycle_.reset();
    resources_.reset();
    installer_.reset();
    compactor_.reset();
    memory_.reset();
    backend_.reset();
  }

  Config ClientConfig() const {
    Config config;
    config.server = url_;
    config.ca_data = certificate_.ca_pem;
    config.token = token_;
    return config;
  }

  std::string Kubeconfig() const {
    std::string text =
        "apiVersion: v1\n"
        "kind: Config\n"
        "current-context: kinformer\n"
        "clusters:\n"
        "- name: kinformer\n"
        "  cluster:\n"
        "    server: \"" +
        url_ + "\"\n";
    if (!certificate_.ca_pem.empty()) {
      text += "    certificate-authority-data: " + internal::EncodeBase64(certificate_.ca_pem) + "\n";
    }
    text +=
        "users:\n"
        "- name: kinformer-admin\n"
        "  user:\n"
        "    token: \"" +
        token_.Reveal() +
        "\"\n"
        "contexts:\n"
        "- name: kinformer\n"
        "  context:\n"
        "    cluster: kinformer\n"
        "    user: kinformer-admin\n"
        "    namespace: default\n";
    return text;
  }

  const std::string& url() const { return url_; }
  const std::string& ca_pem() const { return certificate_.ca_pem; }
  const Secret& token() const { return token_; }
  std::size_t WatchCount() const { return watches_.Count(); }
  Faults& faults() { return *options_.faults; }

  Result<void> InstallCrds(const ApiServerCrds& crds) {
    if (crds_ == nullptr) return Error{.code = ErrorCode::kFailedPrecondition, .message = "the server is not running"};
    Result<void> applied = crds_->Apply(crds.text, kServeTimeout);
    if (applied || crds.source.empty()) return applied;
    return Annotate(std::move(applied).error(), crds.source);
  }

 private:
  Result<void> StartAll() {
    if (Result<void> prepared = PrepareToken(); !prepared) return prepared;
    if (Result<void> prepared = PrepareAccess(); !prepared) return prepared;
    if (options_.tls) {
      const ServerCertificateOptions wanted = CertificateFor(options_.bind_address);
      Result<ServingCertificates> certificates = options_.tls_directory.empty()
                                                     ? MakeServingCertificates(wanted)
                                                     : LoadServingCertificates(options_.tls_directory, wanted);
      if (!certificates) return Annotate(std::move(certificates).error(), "starting the API server");
      certificate_ = *std::move(certificates);
    }
    pool_->Start();
    if (Result<void> opened = OpenBackend(); !opened) return opened;
    installer_ = std::make_unique<KindInstaller>(KindInstallerOptions{.pool = pool_,
                                                                      .backend = backend_,
                                                                      .resources = resources_,
                                                                      .watch_cache = options_.watch_cache,
                                                                      .clock = options_.clock,
                                                                      .logger = options_.logger,
                                                                      .on_kinds_changed = [this] {
                                                                        if (lifecycle_ != nullptr)
                                                                          lifecycle_->KindsChanged();
                                                                      }});
    for (const ServedKind& kind : BuiltInKinds()) installer_->Install(kind, installer_->Make(kind));
    const ServedKind definitions = DefinitionKind();
    installer_->Install(definitions, installer_->Make(definitions));
    if (Result<void> seeded = Seed(); !seeded) return seeded;
    if (Result<void> ready = installer_->StartCaches({}); !ready) return ready;
    if (options_.garbage_collection) {
      lifecycle_ = std::make_unique<LifecycleManager>(
          LifecycleOptions{.stores = [this] { return resources_->All(); }, .logger = options_.logger});
      lifecycle_->Start();
    }
    crds_ = std::make_unique<CrdManager>(CrdManagerOptions{.definitions = resources_->Find(definitions.resource),
                                                           .host = installer_.get(),
                                                           .clock = options_.clock,
                                                           .logger = options_.logger});
    crds_->Start();
    if (Result<void> synced = crds_->AwaitSynced(kServeTimeout); !synced) return synced;
    for (const ApiServerCrds& crds : options_.crds) {
      if (Result<void> installed = InstallCrds(crds); !installed) return installed;
    }
    return StartHttp();
  }

  Result<void> OpenBackend() {
    if (options_.etcd_endpoints.empty()) {
      memory_ = std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = options_.clock});
      memory_->Start();
      backend_ = memory_;
      return {};
    }
    Result<std::unique_ptr<EtcdBackend>> etcd =
        EtcdBackend::Create({.endpoints = options_.etcd_endpoints, .logger = options_.logger});
    if (!etcd) return Annotate(std::move(etcd).error(), "starting the API server");
    backend_ = *std::move(etcd);
    compactor_ =
        std::make_unique<Compactor>(backend_, CompactorOptions{.clock = options_.clock, .logger = options_.logger});
    compactor_->Start();
    return {};
  }

  Result<void> PrepareToken() {
    token_ = options_.token;
    if (!token_.empty()) {
      const std::string& text = token_.Reveal();
      const bool good =
          std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127 && c != '"' && c != '\\'; });
      if (!good)
        return Error{.code = ErrorCode::kInvalidConfig, .message = "the token has characters that no header can carry"};
      return {};
    }
    Result<std::string> random = RandomToken();
    if (!random) return std::move(random).error();
    token_ = Secret(*std::move(random));
    return {};
  }

  /// What is wrong with the rules or the audit log is told before anything else begins.
  Result<void> PrepareAccess() {
    if (options_.rbac || !options_.rbac_objects.empty()) {
      if (options_.authorize) {
        return Error{.code = ErrorCode::kInvalidConfig, .message = "rbac and authorize cannot both decide"};
      }
      Result<std::vector<nlohmann::json>> objects = ReadRbacObjects(options_.rbac_objects);
      if (!objects) return std::move(objects).error();
      rbac_objects_ = BootstrapRbacObjects();
      std::move(objects->begin(), objects->end(), std::back_inserter(rbac_objects_));
      rbac_ = std::make_shared<RbacAuthorizer>(ListerOf(*resources_));
    }
    if (!options_.audit_file.empty()) {
      if (options_.audit) {
        return Error{.code = ErrorCode::kInvalidConfig, .message = "audit and audit_file cannot both be given"};
      }
      Result<std::shared_ptr<AuditLog>> log = AuditLog::OpenFile(options_.audit_file, options_.logger);
      if (!log) return std::move(log).error();
      audit_ = *std::move(log);
    } else if (options_.audit) {
      audit_ = std::make_shared<AuditLog>(options_.audit, options_.logger);
    }
    return {};
  }

  Authorizer MakeAuthorizer() const {
    if (rbac_ == nullptr) return AuthorizerOf(options_.authorize);
    return [rbac = rbac_](const UserInfo& user, const RequestInfo& request) { return rbac->Check(user, request); };
  }

  void InstallReviews(const Authenticator& authenticator, const Authorizer& authorizer) {
    ReviewOptions reviews{.authorizer = authorizer};
    reviews.authenticate = [authenticator](std::string_view token) { return authenticator.AuthenticateToken(token); };
    if (rbac_ != nullptr) {
      reviews.rules = [rbac = rbac_](const UserInfo& user, const std::string& namespace_name) -> UserRules {
        const Result<std::shared_ptr<const RbacPolicy>> policy = rbac->Policy();
        if (!policy) return {.rules = {}, .error = policy.error().message};
        return (*policy)->RulesFor(user, namespace_name);
      };
    } else if (!options_.authorize) {
      reviews.rules = [](const UserInfo&, const std::string&) { return AllRules(); };
    }
    for (auto& review : MakeReviews(reviews)) resources_->Install(std::move(review));
  }

  /// What a cluster begins with.
  Result<void> Seed() {
    if (Result<void> seeded = SeedNamespaces(); !seeded) return seeded;
    return CreateRbacObjects(*resources_, rbac_objects_);
  }

  Result<void> SeedNamespaces() {
    const auto namespaces = resources_->Find({"", "v1", "namespaces"});
    for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
      Result<ObjectPtr> made = namespaces->Create(
          "", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + std::string(name) + R"("}})", {}, {});
      if (!made && !IsAlreadyExists(made.error())) {
        return Annotate(std::move(made).error(), "creating the namespace " + std::string(name));
      }
    }
    return {};
  }

  Result<void> StartHttp() {
    std::vector<StaticToken> tokens = {{token_.Reveal(), {kAdministrator, {"system:masters"}}}};
    for (const ApiServerToken& token : options_.tokens) {
      tokens.push_back({token.token.Reveal(), {token.user, token.groups, token.uid}});
    }
    const Authenticator authenticator(tokens);
    const Authorizer authorizer = MakeAuthorizer();
    InstallReviews(authenticator, authorizer);
    handler_ =
        std::make_unique<ApiHandler>(ApiHandlerOptions{.authenticator = authenticator,
                                                       .authorizer = authorizer,
                                                       .request_threads = options_.request_threads,
                                                       .write_check = MakeWriteCheck(),
                                                       .audit = audit_,
                                                       .faults = MakeFaultHook(),
                                                       .more_metrics = [this](std::string& out) { AppendMetrics(out); },
                                                       .logger = options_.logger},
                                     resources_, watches_, *pool_);
    handler_->Start();
    HttpServerOptions http{.bind_address = options_.bind_address,
                           .port = options_.port,
                           .io_threads = options_.io_threads,
                           .logger = options_.logger};
    http.refusal = [limit = http.limits.max_body_bytes](int status, std::string_view message) {
      Error error{.code = ErrorCode::kServer, .message = std::string(message), .http_status = status};
      if (status == 413) error.message = "Request entity too large: limit is " + std::to_string(limit);
      return ApiHandler::Refusal(error);
    };
    if (options_.tls) {
      http.tls = TlsOptions{.certificate_pem = certificate_.server.certificate_pem,
                            .key_pem = certificate_.server.key_pem,
                            .client_ca_pem = options_.client_ca_pem};
    }
    http_ = std::make_unique<HttpServer>(
        std::move(http), [this](std::shared_ptr<HttpExchange> exchange) { handler_->Handle(std::move(exchange)); });
    Result<std::uint16_t> port = http_->Start();
    if (!port) return Annotate(std::move(port).error(), "starting the API server");
    url_ = (options_.tls ? "https://" : "http://") + HostFor(options_.bind_address) + ":" + std::to_string(*port);
    return {};
  }

  /// Nobody grants what he does not hold.
  decltype(ApiHandlerOptions::write_check) MakeWriteCheck() const {
    if (rbac_ == nullptr) return {};
    return [rbac = rbac_](const UserInfo& user, const RequestInfo& request, const Object* before,
                          const Object& after) -> Result<void> {
      if (!GrantsRights(request)) return {};
      const Result<std::shared_ptr<const RbacPolicy>> policy = rbac->Policy();
      if (!policy) return policy.error();
      return CheckEscalation(**policy, user, request, before, after);
    };
  }

  /// It calls back from requests and from tasks of the pool; both have ended before what it needs goes.
  std::shared_ptr<FaultHook> MakeFaultHook() {
    ServerControls controls;
    if (memory_ != nullptr) {
      controls.wipe = [this] {
        memory_->Wipe();
        if (const Result<void> seeded = Seed(); !seeded) {
          options_.logger.Error("apiserver", "after a wipe", {{"error", seeded.error().message}});
        }
      };
      controls.set_storage_down = [this](bool down) { down ? memory_->Interrupt() : memory_->Resume(); };
    }
    controls.set_refusing = [this](bool refusing) { http_->SetRefusing(refusing); };
    controls.revision = [this] { return backend_->CurrentRevision({}).value_or(0); };
    controls.kinds = [this] {
      std::vector<ServedKind> kinds;
      for (const auto& store : resources_->All()) kinds.push_back(store->kind());
      return kinds;
    };
    return std::make_shared<FaultInjector>(options_.faults->plan(), *pool_, std::move(controls));
  }

  void AppendMetrics(std::string& out) const {
    if (memory_ != nullptr) {
      const MemoryBackendStats stats = memory_->Stats();
      AppendMetric(out, "apiserver_storage_keys", "gauge", {}, stats.keys);
      AppendMetric(out, "apiserver_storage_history_bytes", "gauge", {}, stats.history_bytes);
      AppendMetric(out, "apiserver_storage_writes_total", "counter", {}, stats.writes);
      AppendMetric(out, "apiserver_storage_ranges_total", "counter", {}, stats.ranges);
    }
    AppendMetric(out, "apiserver_http_connections", "gauge", {}, http_->ConnectionCount());
    if (audit_ != nullptr) {
      const AuditLogStats audit = audit_->Stats();
      AppendMetric(out, "apiserver_audit_event_total", "counter", {}, audit.events);
      AppendMetric(out, "apiserver_audit_error_total", "counter", {}, audit.errors);
    }
    std::vector<std::pair<std::string, CacherStatus>> caches;
    for (const auto& cacher : installer_->cachers()) {
      caches.emplace_back(MetricLabel("resource", ToString(cacher->options().resource)), cacher->Status());
    }
    const auto all = [&](std::string_view name, std::string_view type, auto value) {
      for (const auto& [label, status] : caches) {
        AppendMetric(out, name, std::exchange(type, std::string_view()), label,
                     static_cast<std::uint64_t>(value(status)));
      }
    };
    all("apiserver_watch_cache_objects", "gauge", [](const CacherStatus& s) { return s.cache.objects; });
    all("apiserver_watch_cache_capacity", "gauge", [](const CacherStatus& s) { return s.cache.capacity; });
    all("apiserver_watch_cache_watchers", "gauge", [](const CacherStatus& s) { return s.dispatcher.watchers; });
    all("apiserver_watch_cache_incoming_high_water_mark", "gauge",
        [](const CacherStatus& s) { return s.dispatcher.incoming_high_water_mark; });
    all("apiserver_watch_cache_events_dispatched_total", "counter",
        [](const CacherStatus& s) { return s.dispatcher.events; });
    all("apiserver_watch_cache_deliveries_total", "counter",
        [](const CacherStatus& s) { return s.dispatcher.deliveries; });
    all("apiserver_terminated_watchers_total", "counter",
        [](const CacherStatus& s) { return s.dispatcher.terminated; });
    all("apiserver_watch_cache_initializations_total", "counter", [](const CacherStatus& s) { return s.fills; });
    all("apiserver_watch_cache_reads_total", "counter", [](const CacherStatus& s) { return s.reads_from_cache; });
    all("apiserver_storage_reads_total", "counter", [](const CacherStatus& s) { return s.reads_from_storage; });
  }

  const ApiServerOptions options_;
  bool started_ = false;
  Secret token_;
  std::string url_;
  ServingCertificates certificate_;

  // Each of these is used by those below it.
  const std::shared_ptr<TaskPool> pool_;
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<MemoryBackend> memory_;  ///< The same, where it is one.
  std::unique_ptr<Compactor> compactor_;
  std::unique_ptr<KindInstaller> installer_;
  std::shared_ptr<ResourceTable> resources_;
  std::vector<nlohmann::json> rbac_objects_;
  std::shared_ptr<RbacAuthorizer> rbac_;  ///< Null: whoever is known may.
  std::shared_ptr<AuditLog> audit_;       ///< Null: nothing is written down.
  WatchServer watches_;
  std::unique_ptr<LifecycleManager> lifecycle_;
  std::unique_ptr<CrdManager> crds_;
  std::unique_ptr<ApiHandler> handler_;
  std::unique_ptr<HttpServer> http_;
};

ApiServer::ApiServer(ApiServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

ApiServer::~ApiServer() = default;

Result<void> ApiServer::Start() { return impl_->Start(); }

void ApiServer::Stop() { impl_->Stop(); }

const std::string& ApiServer::Url() const { return impl_->url(); }

const std::string& ApiServer::CaPem() const { return impl_->ca_pem(); }

const Secret& ApiServer::Token() const { return impl_->token(); }

Config ApiServer::ClientConfig() const { return impl_->ClientConfig(); }

std::string ApiServer::Kubeconfig() const { return impl_->Kubeconfig(); }

Result<void> ApiServer::WriteKubeconfig(const std::string& path) const {
  return WriteFile(path, impl_->Kubeconfig(), 0600);
}

Result<void> ApiServer::InstallCrds(const std::string& text) { return impl_->InstallCrds({.text = text}); }

Faults& ApiServer::faults() { return impl_->faults(); }

std::size_t ApiServer::WatchCount() const { return impl_->WatchCount(); }

}  // namespace kinformer
