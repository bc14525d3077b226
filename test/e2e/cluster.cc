#include "test/e2e/cluster.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include <kinformer/client/client.h>

#include "src/base/base64.h"
#include "test/support/fd.h"

namespace kinformer::e2e {
namespace {

using namespace std::chrono_literals;
using testing_support::HelperProcess;
using testing_support::TestCa;

constexpr int kStartAttempts = 3;
constexpr auto kStartPatience = 60s;
constexpr std::size_t kLogTail = 3000;

std::string Loopback(const std::string& scheme, int port) { return scheme + "://127.0.0.1:" + std::to_string(port); }

std::string RandomToken() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 32; ++i) token += "0123456789abcdef"[random() % 16];
  return token;
}

std::string Tail(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return all.substr(all.size() - std::min(all.size(), kLogTail));
}

/// Polls `ready` while the process is running. Throws if it ends or the time limit passes.
void Await(HelperProcess& process, const std::string& what, const std::string& log,
           const std::function<bool()>& ready) {
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  while (!ready()) {
    if (!process.Running()) throw std::runtime_error(what + " ended:\n" + Tail(log));
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(what + " is not ready:\n" + Tail(log));
    std::this_thread::sleep_for(20ms);
  }
}

Result<RawResponse> Ask(const Config& config, Request request) {
  auto client = Client::Create(config, {.max_retries = 0});
  if (!client) return std::move(client).error();
  request.timeout = 5s;
  return client->Raw(std::move(request));
}

Result<RawResponse> AskEtcd(const std::string& url, const std::string& path, const std::string& body) {
  return Ask({.server = url}, {.method = "POST", .target = path, .body = body});
}

std::string EnvironmentOrThrow(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') {
    throw std::runtime_error(std::string(name) + " is not set: start the tests by test/e2e/run");
  }
  return value;
}

}  // namespace

std::string_view NameOf(ServerKind kind) {
  return kind == ServerKind::kKubeApiserver ? "kube-apiserver" : "kinformer-apiserver";
}

Programs Programs::FromEnvironment() {
  const std::string assets = EnvironmentOrThrow("E2E_ASSETS");
  return {.etcd = assets + "/etcd",
          .kube_apiserver = assets + "/kube-apiserver",
          .kinformer_apiserver = EnvironmentOrThrow("E2E_KINFORMER_APISERVER")};
}

Cluster::Cluster(ServerKind kind, Programs programs, std::vector<std::string> kube_apiserver_arguments)
    : kind_(kind),
      programs_(std::move(programs)),
      kube_apiserver_arguments_(std::move(kube_apiserver_arguments)),
      ca_(std::make_unique<TestCa>()),
      token_(RandomToken()) {
  // Another process may take a port between its choice and the bind: retry with other ports.
  for (int attempt = 1;; ++attempt) {
    {
      const testing_support::Fd held[] = {testing_support::ListenOnLoopback(), testing_support::ListenOnLoopback(),
                                          testing_support::ListenOnLoopback()};
      etcd_port_ = testing_support::LocalPort(held[0].get());
      etcd_peer_port_ = testing_support::LocalPort(held[1].get());
      server_port_ = testing_support::LocalPort(held[2].get());
    }
    try {
      RestartEtcd();
      RestartServer();
      return;
    } catch (const std::runtime_error&) {
      if (attempt == kStartAttempts) throw;
      server_.reset();
      etcd_.reset();
      std::filesystem::remove_all(dir_.path() / "etcd");
    }
  }
}

Cluster::~Cluster() {
  server_.reset();
  etcd_.reset();
}

std::string Cluster::url() const { return Loopback("https", server_port_); }
std::string Cluster::EtcdUrl() const { return Loopback("http", etcd_port_); }

testing_support::CertificateAndKey Cluster::IssueClient(
    const testing_support::ClientCertificateOptions& options) const {
  return ca_->IssueClient(options);
}

Config Cluster::Admin(int port) const {
  const auto certificate = ca_->IssueClient({.common_name = "kubernetes-admin", .organizations = {"system:masters"}});
  return {.server = Loopback("https", port == 0 ? server_port_ : port),
          .ca_data = ca_pem(),
          .client_certificate_data = certificate.cert_pem,
          .client_key_data = Secret(certificate.key_pem)};
}

Config Cluster::User(const std::string& name, int port) const {
  Config config = Admin(port);
  const auto certificate = ca_->IssueClient({.common_name = name});
  config.client_certificate_data = certificate.cert_pem;
  config.client_key_data = Secret(certificate.key_pem);
  return config;
}

Config Cluster::AdminByToken(int port) const {
  return {.server = Loopback("https", port == 0 ? server_port_ : port), .ca_data = ca_pem(), .token = Secret(token_)};
}

std::string Cluster::KindKubeconfig(int port) const {
  const Config admin = Admin(port);
  return "apiVersion: v1\n"
         "clusters:\n"
         "- cluster:\n"
         "    certificate-authority-data: " +
         internal::EncodeBase64(admin.ca_data) +
         "\n"
         "    server: " +
         admin.server +
         "\n"
         "  name: kind-kind\n"
         "contexts:\n"
         "- context:\n"
         "    cluster: kind-kind\n"
         "    user: kind-kind\n"
         "  name: kind-kind\n"
         "current-context: kind-kind\n"
         "kind: Config\n"
         "preferences: {}\n"
         "users:\n"
         "- name: kind-kind\n"
         "  user:\n"
         "    client-certificate-data: " +
         internal::EncodeBase64(admin.client_certificate_data) +
         "\n"
         "    client-key-data: " +
         internal::EncodeBase64(admin.client_key_data.Reveal()) + "\n";
}

// --- The API server ---

void Cluster::WriteServerFiles() {
  dir_.Write("tls/ca.crt", ca_->CertPem());
  if (!std::filesystem::exists(dir_.path() / "tls/server.crt")) {
    const auto serving = ca_->IssueServer();
    dir_.Write("tls/server.crt", serving.cert_pem);
    dir_.Write("tls/server.key", serving.key_pem);
  }
  if (!std::filesystem::exists(dir_.path() / "accounts.key")) {
    const auto accounts = ca_->IssueServer();
    dir_.Write("accounts.key", accounts.key_pem);
    dir_.Write("accounts.crt", accounts.cert_pem);
  }
  dir_.Write("tokens.csv", token_ + ",admin,admin,\"system:masters\"\n");
  dir_.Write("rbac.yaml",
             "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: e2e-nothing}\nrules: []\n");
}

std::vector<std::string> Cluster::ServerCommand() const {
  const std::string port = std::to_string(server_port_);
  if (kind_ == ServerKind::kKinformerApiserver) {
    return {programs_.kinformer_apiserver,
            "--port=" + port,
            "--etcd=" + EtcdUrl(),
            "--tls-dir=" + File("tls"),
            "--client-ca=" + File("tls/ca.crt"),
            "--token=" + token_,
            "--rbac=" + File("rbac.yaml"),
            "--kubeconfig-out=" + File("server.kubeconfig")};
  }
  // Default settings, except what is needed to run without a controller manager: nothing creates the service accounts
  // that the ServiceAccount admission plugin requires.
  std::vector<std::string> command = {programs_.kube_apiserver,
                                      "--etcd-servers=" + EtcdUrl(),
                                      "--bind-address=127.0.0.1",
                                      "--secure-port=" + port,
                                      "--cert-dir=" + File("cert-dir"),
                                      "--tls-cert-file=" + File("tls/server.crt"),
                                      "--tls-private-key-file=" + File("tls/server.key"),
                                      "--client-ca-file=" + File("tls/ca.crt"),
                                      "--token-auth-file=" + File("tokens.csv"),
                                      "--authorization-mode=RBAC",
                                      "--service-cluster-ip-range=10.0.0.0/24",
                                      "--service-account-issuer=https://kubernetes.default.svc",
                                      "--service-account-key-file=" + File("accounts.crt"),
                                      "--service-account-signing-key-file=" + File("accounts.key"),
                                      "--disable-admission-plugins=ServiceAccount",
                                      "--request-timeout=60s"};
  command.insert(command.end(), kube_apiserver_arguments_.begin(), kube_apiserver_arguments_.end());
  return command;
}

void Cluster::KillServer() { server_.reset(); }

void Cluster::RestartServer() {
  server_.reset();
  WriteServerFiles();
  server_ = std::make_unique<HelperProcess>(ServerCommand(), server_log_file());
  AwaitServer();
}

void Cluster::SwitchServer(ServerKind kind) {
  KillServer();
  kind_ = kind;
  RestartServer();
}

void Cluster::AwaitServer() {
  const Config admin = Admin();
  Await(*server_, std::string(NameOf(kind_)), server_log_file(), [&] {
    const auto ready = Ask(admin, {.target = "/readyz"});
    if (!ready || ready->head.status != 200) return false;
    // kube-apiserver creates this namespace a moment later.
    const auto space = Ask(admin, {.target = "/api/v1/namespaces/default"});
    return space.ok() && space->head.status == 200;
  });
}

void Cluster::RotateServerCertificate() {
  std::filesystem::remove(dir_.path() / "tls/server.crt");
  std::filesystem::remove(dir_.path() / "tls/server.key");
}

void Cluster::RotateCa() {
  ca_ = std::make_unique<TestCa>();
  RotateServerCertificate();
}

// --- etcd ---

void Cluster::KillEtcd() { etcd_.reset(); }

void Cluster::RestartEtcd() {
  etcd_.reset();
  StartEtcd();
}

void Cluster::StartEtcd() {
  const std::string peer = Loopback("http", etcd_peer_port_);
  etcd_ = std::make_unique<HelperProcess>(
      std::vector<std::string>{programs_.etcd, "--data-dir=" + File("etcd"), "--unsafe-no-fsync", "--log-level=error",
                               "--listen-client-urls=" + EtcdUrl(), "--advertise-client-urls=" + EtcdUrl(),
                               "--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
                               "--initial-cluster=default=" + peer},
      File("etcd.log"));
  Await(*etcd_, "etcd", File("etcd.log"), [&] {
    const auto answer = AskEtcd(EtcdUrl(), "/v3/kv/range", R"({"key":"AA=="})");
    return answer.ok() && answer->head.status == 200;
  });
}

void Cluster::Compact() {
  const auto now = AskEtcd(EtcdUrl(), "/v3/kv/range", R"({"key":"AA=="})");
  if (!now) throw std::runtime_error("etcd does not tell its revision: " + ToString(now.error()));
  const auto header = nlohmann::json::parse(now->body)["header"];
  const auto compacted =
      AskEtcd(EtcdUrl(), "/v3/kv/compaction",
              nlohmann::json{{"revision", header["revision"].get<std::string>()}, {"physical", true}}.dump());
  if (compacted) return;
  // Nothing was written since the last compaction, or the API server compacted meanwhile: the goal is met.
  if (compacted.error().message.find("required revision has been compacted") != std::string::npos) return;
  throw std::runtime_error("etcd does not compact: " + ToString(compacted.error()));
}

std::vector<std::string> Cluster::EtcdKeys() const {
  const auto encoded = [](std::string_view text) { return internal::EncodeBase64(text); };
  const auto answer = AskEtcd(
      EtcdUrl(), "/v3/kv/range",
      nlohmann::json{{"key", encoded("/registry/")}, {"range_end", encoded("/registry0")}, {"keys_only", true}}.dump());
  if (!answer) throw std::runtime_error("etcd does not tell its keys: " + ToString(answer.error()));
  const nlohmann::json range = nlohmann::json::parse(answer->body);
  std::vector<std::string> keys;
  for (const auto& item : range.at("kvs")) {
    keys.push_back(internal::DecodeBase64(item["key"].get<std::string>()).value());
  }
  return keys;
}

}  // namespace kinformer::e2e
