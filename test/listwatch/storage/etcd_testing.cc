#include "test/listwatch/storage/etcd_testing.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "src/transport/curl_transport.h"
#include "test/listwatch/storage/storage_testing.h"
#include "test/support/fd.h"

namespace kinformer::apiserver::testing_support {
namespace {

namespace support = kinformer::testing_support;

constexpr int kStartAttempts = 4;
constexpr std::chrono::seconds kStartPatience{30};
constexpr std::chrono::milliseconds kPollInterval{10};

std::string Url(int port) { return "http://127.0.0.1:" + std::to_string(port); }

/// The response of /v3/maintenance/status; null on failure.
nlohmann::json StatusOf(const std::string& url) {
  auto transport = internal::CurlTransport::Create({.server = url});
  if (!transport) return nullptr;
  Request request;
  request.method = "POST";
  request.target = "/v3/maintenance/status";
  request.body = "{}";
  request.timeout = 2s;
  const auto stream = (*transport)->Start(std::move(request));
  const Result<ResponsePart> head = Next(*stream, {});
  if (!head) return nullptr;
  const Result<std::string> body = ReadBody(*stream, 1U << 20U, {});
  return body ? nlohmann::json::parse(*body, nullptr, false) : nullptr;
}

}  // namespace

std::shared_ptr<EtcdBackend> ConnectTo(std::vector<std::string> urls, EtcdTls tls) {
  return EtcdBackend::Create({.endpoints = std::move(urls), .tls = std::move(tls), .request_timeout = 5s}).value();
}

EtcdProcesses::EtcdProcesses(std::size_t members, bool durable, const support::TestCa* ca)
    : durable_(durable), members_(members) {
  if (ca != nullptr) WriteCertificates(*ca);
  for (std::size_t i = 0; i < members; ++i) members_[i].name = "m" + std::to_string(i);
  // Another process may take a port between its choice and the bind: retry with other ports.
  std::string why;
  for (attempt_ = 0; attempt_ < kStartAttempts; ++attempt_) {
    try {
      ChoosePorts();
      RestartAll();
      return;
    } catch (const std::runtime_error& e) {
      why = e.what();
      KillAll();
    }
  }
  throw std::runtime_error("etcd (Debian: package etcd-server) does not start: " + why);
}

EtcdProcesses::~EtcdProcesses() = default;

void EtcdProcesses::WriteCertificates(const support::TestCa& ca) {
  // etcd's gateway connects to etcd itself with the same certificate.
  const support::CertificateAndKey server = ca.IssueServer({.also_for_clients = true});
  dir_.Write("ca.crt", ca.CertPem());
  dir_.Write("server.crt", server.cert_pem);
  dir_.Write("server.key", server.key_pem);
  const support::CertificateAndKey client = ca.IssueClient({.common_name = "test"});
  tls_ = {.ca = ca.CertPem(), .certificate = client.cert_pem, .key = client.key_pem};
}

std::string EtcdProcesses::ClientUrl(const Member& member) const {
  const std::string url = Url(member.client_port);
  return tls_.IsEmpty() ? url : "https" + url.substr(4);
}

void EtcdProcesses::ChoosePorts() {
  std::vector<support::Fd> held;  // held open together, so that no port is chosen twice
  const auto choose = [&] {
    held.push_back(support::ListenOnLoopback());
    return static_cast<int>(support::LocalPort(held.back().get()));
  };
  for (Member& member : members_) {
    member.client_port = choose();
    member.peer_port = choose();
  }
}

void EtcdProcesses::StartMember(Member& member) {
  std::string cluster;
  for (const Member& each : members_) {
    cluster += (cluster.empty() ? "" : ",") + each.name + "=" + Url(each.peer_port);
  }
  const std::string home = (dir_.path() / (member.name + "-" + std::to_string(attempt_))).string();
  std::vector<std::string> command = {"etcd",
                                      "--name=" + member.name,
                                      "--data-dir=" + home,
                                      "--listen-client-urls=" + ClientUrl(member),
                                      "--advertise-client-urls=" + ClientUrl(member),
                                      "--listen-peer-urls=" + Url(member.peer_port),
                                      "--initial-advertise-peer-urls=" + Url(member.peer_port),
                                      "--initial-cluster=" + cluster,
                                      "--heartbeat-interval=50",
                                      "--election-timeout=500",
                                      "--logger=zap",
                                      "--log-level=error"};
  if (!durable_) command.emplace_back("--unsafe-no-fsync");
  if (!tls_.IsEmpty()) {
    const std::string home_of_all = dir_.path().string();
    for (const std::string& flag :
         {"--cert-file=" + home_of_all + "/server.crt", "--key-file=" + home_of_all + "/server.key",
          "--trusted-ca-file=" + home_of_all + "/ca.crt", std::string("--client-cert-auth")}) {
      command.push_back(flag);
    }
  }
  member.process = std::make_unique<support::HelperProcess>(command, home + ".log");
}

std::string EtcdProcesses::Log(const Member& member) const {
  std::ifstream in((dir_.path() / (member.name + "-" + std::to_string(attempt_) + ".log")).string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> EtcdProcesses::urls() const {
  std::vector<std::string> urls;
  for (const Member& member : members_) urls.push_back(ClientUrl(member));
  return urls;
}

void EtcdProcesses::Kill(std::size_t member) { members_.at(member).process.reset(); }
void EtcdProcesses::KillAll() {
  for (Member& member : members_) member.process.reset();
}
void EtcdProcesses::Restart(std::size_t member) {
  StartMember(members_.at(member));
  AwaitHealthy();
}
void EtcdProcesses::RestartAll() {
  for (Member& member : members_) StartMember(member);
  AwaitHealthy();
}

void EtcdProcesses::AwaitHealthy() {
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  for (Member& member : members_) {
    if (member.process == nullptr) continue;
    // A linearizable read, which needs the leader.
    const auto client =
        EtcdBackend::Create({.endpoints = {ClientUrl(member)}, .tls = tls_, .request_timeout = 2s}).value();
    while (!client->CurrentRevision({})) {
      if (!member.process->Running() || std::chrono::steady_clock::now() > deadline) {
        throw std::runtime_error(Log(member));
      }
      std::this_thread::sleep_for(kPollInterval);
    }
  }
}

std::size_t EtcdProcesses::Leader() {
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].process == nullptr) continue;
      const nlohmann::json status = StatusOf(Url(members_[i].client_port));
      if (!status.is_object() || !status.contains("leader")) continue;
      if (status["leader"] == status["header"]["member_id"]) return i;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  throw std::runtime_error("the etcds find no leader");
}

}  // namespace kinformer::apiserver::testing_support
