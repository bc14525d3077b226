#include <kinformer/apiserver/api_server.h>

#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/apiserver/crd/crd_manager.h"
#include "src/apiserver/crd/crd_rules.h"
#include "src/apiserver/endpoints/api_handler.h"
#include "src/apiserver/endpoints/resource_table.h"
#include "src/apiserver/faults/fault_injector.h"
#include "src/apiserver/kind_installer.h"
#include "src/apiserver/lifecycle/lifecycle_manager.h"
#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/server_access.h"
#include "src/apiserver/server_credentials.h"
#include "src/apiserver/server_metrics.h"
#include "src/apiserver/server_storage.h"
#include "src/base/file_writer.h"
#include "src/base/task_pool.h"
#include "src/http/http_server.h"
#include "src/listwatch/watch/watch_server.h"

namespace kinformer {
namespace {

using namespace apiserver;  // NOLINT(google-build-using-namespace)

/// Generous, for overloaded machines: serving a kind takes milliseconds.
constexpr std::chrono::seconds kServeTimeout{30};

/// Makes `faults` non-null.
ApiServerOptions WithFaults(ApiServerOptions options) {
  if (options.faults == nullptr) options.faults = std::make_shared<Faults>();
  return options;
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
    // Watches first, so that clients that read fast enough see a clean end of the stream.
    watches_.Stop();
    if (http_ != nullptr) http_->Stop();
    if (handler_ != nullptr) handler_->Stop();
    if (crds_ != nullptr) crds_->Stop();
    if (lifecycle_ != nullptr) lifecycle_->Stop();
    if (installer_ != nullptr) installer_->Stop();
    pool_->Stop();
    // Destroy users before what they use.
    http_.reset();
    handler_.reset();
    crds_.reset();
    lifecycle_.reset();
    resources_.reset();
    installer_.reset();
    storage_.Close();
  }

  Config ClientConfig() const { return credentials_.ClientConfig(url_); }
  std::string Kubeconfig() const { return credentials_.Kubeconfig(url_); }
  const std::string& url() const { return url_; }
  const std::string& ca_pem() const { return credentials_.certificates.ca_pem; }
  const Secret& token() const { return credentials_.token; }
  std::size_t WatchCount() const { return watches_.Count(); }
  Faults& faults() { return *options_.faults; }

  Result<void> InstallCrds(const ApiServerCrds& crds) {
    if (crds_ == nullptr) return Error{.code = ErrorCode::kFailedPrecondition, .message = "the server is not running"};
    Result<void> applied = crds_->Apply(crds.text, kServeTimeout);
    if (applied || crds.source.empty()) return applied;
    return Annotate(std::move(applied).error(), crds.source);
  }

 private:
  /// The order in which the server comes up. Configuration errors are found before anything is started.
  Result<void> StartAll() {
    if (Result<void> prepared = Prepare(); !prepared) return prepared;
    pool_->Start();
    if (Result<void> opened = storage_.Open(options_); !opened) return opened;
    if (Result<void> served = ServeKinds(); !served) return served;
    StartLifecycle();
    if (Result<void> served = ServeCrds(); !served) return served;
    StartHandler();
    return StartHttp();
  }

  Result<void> Prepare() {
    Result<ServerAccess> access = ServerAccess::Prepare(options_, *resources_);
    if (!access) return std::move(access).error();
    access_ = *std::move(access);
    Result<ServerCredentials> credentials = ServerCredentials::Prepare(options_);
    if (!credentials) return std::move(credentials).error();
    credentials_ = *std::move(credentials);
    return {};
  }

  /// The built-in kinds, with the initial objects of a cluster.
  Result<void> ServeKinds() {
    installer_ = std::make_unique<KindInstaller>(KindInstallerOptions{.pool = pool_,
                                                                      .backend = storage_.backend(),
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
    return installer_->StartCaches({});
  }

  void StartLifecycle() {
    if (!options_.garbage_collection) return;
    lifecycle_ = std::make_unique<LifecycleManager>(LifecycleOptions{
        .stores = [this] { return resources_->All(); }, .clock = options_.clock, .logger = options_.logger});
    lifecycle_->Start();
  }

  Result<void> ServeCrds() {
    crds_ = std::make_unique<CrdManager>(CrdManagerOptions{.definitions = resources_->Find(DefinitionKind().resource),
                                                           .host = installer_.get(),
                                                           .clock = options_.clock,
                                                           .logger = options_.logger});
    crds_->Start();
    if (Result<void> synced = crds_->AwaitSynced(kServeTimeout); !synced) return synced;
    for (const ApiServerCrds& crds : options_.crds) {
      if (Result<void> installed = InstallCrds(crds); !installed) return installed;
    }
    return {};
  }

  /// Creates the initial namespaces and RBAC objects of a cluster.
  Result<void> Seed() {
    if (Result<void> seeded = SeedNamespaces(); !seeded) return seeded;
    return access_.Seed(*resources_);
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

  void StartHandler() {
    const Authenticator authenticator = credentials_.MakeAuthenticator(options_);
    access_.InstallReviews(authenticator, *resources_);
    handler_ = std::make_unique<ApiHandler>(
        ApiHandlerOptions{.authenticator = authenticator,
                          .authorizer = access_.MakeAuthorizer(),
                          .request_threads = options_.request_threads,
                          .write_check = access_.MakeWriteCheck(),
                          .audit = access_.audit(),
                          .faults = MakeFaultHook(),
                          .ask_storage = [this](const std::stop_token& stop) -> Result<void> {
                            Result<Revision> revision = storage_.backend()->CurrentRevision(stop);
                            if (!revision) return std::move(revision).error();
                            return {};
                          },
                          .health_checks = {{"storage-readiness", [this] { return installer_->CheckCaches(); }}},
                          .more_metrics = [this](std::string& out) { AppendMetrics(out); },
                          .logger = options_.logger},
        resources_, watches_, *pool_);
    handler_->Start();
  }

  Result<void> StartHttp() {
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
      http.tls = TlsOptions{.certificate_pem = credentials_.certificates.server.certificate_pem,
                            .key_pem = credentials_.certificates.server.key_pem,
                            .client_ca_pem = options_.client_ca_pem};
    }
    http_ = std::make_unique<HttpServer>(
        std::move(http), [this](std::shared_ptr<HttpExchange> exchange) { handler_->Handle(std::move(exchange)); });
    Result<std::uint16_t> port = http_->Start();
    if (!port) return Annotate(std::move(port).error(), "starting the API server");
    url_ = ServerUrl(options_, *port);
    return {};
  }

  /// Its callbacks run in requests and in tasks of the pool; both end before the members they use are destroyed.
  std::shared_ptr<FaultHook> MakeFaultHook() {
    ServerControls controls;
    if (MemoryBackend* memory = storage_.memory(); memory != nullptr) {
      controls.wipe = [this, memory] {
        memory->Wipe();
        if (const Result<void> seeded = Seed(); !seeded) {
          options_.logger.Error("apiserver", "re-creating the initial objects after a storage wipe failed",
                                {{"error", seeded.error().message}});
        }
      };
      controls.set_storage_down = [memory](bool down) { down ? memory->Interrupt() : memory->Resume(); };
    }
    controls.set_refusing = [this](bool refusing) { http_->SetRefusing(refusing); };
    controls.revision = [this] { return storage_.backend()->CurrentRevision({}).value_or(0); };
    controls.kinds = [this] {
      std::vector<ServedKind> kinds;
      for (const auto& store : resources_->All()) kinds.push_back(store->kind());
      return kinds;
    };
    return std::make_shared<FaultInjector>(options_.faults->plan(), *pool_, std::move(controls));
  }

  void AppendMetrics(std::string& out) const {
    AppendStorageMetrics(storage_.memory(), out);
    AppendHttpMetrics(*http_, out);
    AppendAuditMetrics(access_.audit().get(), out);
    AppendCacheMetrics(installer_->cachers(), out);
  }

  const ApiServerOptions options_;
  bool started_ = false;
  std::string url_;
  ServerCredentials credentials_;

  // In dependency order: each member may be used by those below it.
  const std::shared_ptr<TaskPool> pool_;
  ServerStorage storage_;
  std::unique_ptr<KindInstaller> installer_;
  std::shared_ptr<ResourceTable> resources_;
  ServerAccess access_;
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

const std::string& ApiServer::Url() const& { return impl_->url(); }

const std::string& ApiServer::CaPem() const& { return impl_->ca_pem(); }

const Secret& ApiServer::Token() const& { return impl_->token(); }

Config ApiServer::ClientConfig() const { return impl_->ClientConfig(); }

std::string ApiServer::Kubeconfig() const { return impl_->Kubeconfig(); }

Result<void> ApiServer::WriteKubeconfig(const std::string& path) const {
  return internal::WriteFile(path, impl_->Kubeconfig(), 0600);
}

Result<void> ApiServer::InstallCrds(const std::string& text) { return impl_->InstallCrds({.text = text}); }

Faults& ApiServer::faults() & { return impl_->faults(); }

std::size_t ApiServer::WatchCount() const { return impl_->WatchCount(); }

}  // namespace kinformer
