// kinformer-apiserver: see command_line.cc for the flags.

#include <signal.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/logger.h>
#include <kinformer/client/client.h>
#include <kinformer/version.h>

#include "src/apiserver/simulation/pod_simulation.h"
#include "src/base/file_reader.h"
#include "src/programs/kinformer_apiserver/command_line.h"

namespace ki = kinformer;
using ki::apiserver::CommandLine;
using ki::apiserver::PodSimulation;

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr std::size_t kProgressEvery = 1000;
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxCrdBytes = std::size_t{16} << 20U;

int Fail(const ki::Error& error) {
  std::cerr << "kinformer-apiserver: " << ki::ToString(error) << "\n";
  return kFailed;
}

/// Blocks SIGINT and SIGTERM so that the main thread can wait for them. Create it before any other thread, so that all
/// threads inherit the signal mask.
class Signals {
 public:
  Signals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void Await() const {
    int signal = 0;
    sigwait(&signals_, &signal);
  }

 private:
  sigset_t signals_{};
};

/// `what` describes the expected contents, for the error message. Fails if the file is empty or larger than `most`
/// bytes.
ki::Result<std::string> ReadFile(const std::string& path, std::size_t most, const std::string& what) {
  auto text = ki::internal::ReadFile(path, most, ki::internal::FileKinds::kAlsoPipes);
  const bool wrong_size = text ? text->empty() : text.error().code == ki::ErrorCode::kTooLarge;
  if (text && !wrong_size) return text;
  return ki::Error{
      .code = ki::ErrorCode::kInvalidConfig,
      .message = "cannot read " + path + ": " + (wrong_size ? "it must be a file of " + what : text.error().message)};
}

/// Reads the TLS files for etcd; errors name the flag and the file.
ki::Result<void> ReadEtcdFiles(CommandLine& line) {
  const auto read = [](const char* flag, const std::string& path) -> ki::Result<std::string> {
    if (path.empty()) return std::string();
    auto pem = ReadFile(path, kMaxFileBytes, "PEM of at most a megabyte");
    if (!pem) return ki::Annotate(std::move(pem).error(), flag);
    return pem;
  };
  auto ca = read("--etcd-cafile", line.etcd_ca_file);
  if (!ca) return std::move(ca).error();
  auto certificate = read("--etcd-certfile", line.etcd_certificate_file);
  if (!certificate) return std::move(certificate).error();
  auto key = read("--etcd-keyfile", line.etcd_key_file);
  if (!key) return std::move(key).error();
  line.server.etcd_ca_pem = *std::move(ca);
  line.server.etcd_certificate_pem = *std::move(certificate);
  line.server.etcd_key_pem = ki::Secret(*std::move(key));
  return {};
}

int Run(CommandLine line, const Signals& signals) {
  line.server.logger = ki::Logger(ki::StderrSink(), ki::LogLevel::kWarning);
  if (!line.client_ca_file.empty()) {
    auto pem = ReadFile(line.client_ca_file, kMaxFileBytes, "PEM of at most a megabyte");
    if (!pem) return Fail(pem.error());
    line.server.client_ca_pem = *std::move(pem);
  }
  if (auto read = ReadEtcdFiles(line); !read) return Fail(read.error());
  if (!line.rbac_file.empty()) {
    auto objects = ReadFile(line.rbac_file, kMaxFileBytes, "RBAC objects of at most a megabyte");
    if (!objects) return Fail(objects.error());
    line.server.rbac = true;
    line.server.rbac_objects = *std::move(objects);
  }
  for (const std::string& path : line.crd_files) {
    auto text = ReadFile(path, kMaxCrdBytes, "CustomResourceDefinitions of at most 16 megabytes");
    if (!text) return Fail(text.error());
    line.server.crds.push_back({.text = *std::move(text), .source = path});
  }
  ki::ApiServer server(line.server);
  for (const std::string& spec : line.faults) {
    if (auto added = server.faults().Add(std::string_view(spec)); !added) {
      std::cerr << "kinformer-apiserver: --fault: " << added.error().message << "\n";
      return kWrongUsage;
    }
  }
  if (auto started = server.Start(); !started) return Fail(started.error());
  const std::string kubeconfig = line.kubeconfig_out.empty() ? "kinformer.kubeconfig" : line.kubeconfig_out;
  if (auto written = server.WriteKubeconfig(kubeconfig); !written) return Fail(written.error());
  std::cout << "serving on " << server.Url() << "\nkubeconfig: " << kubeconfig << std::endl;

  std::unique_ptr<PodSimulation> simulation;
  // Populating may take a while; a signal interrupts it.
  std::jthread filler;
  if (line.simulate_pods > 0) {
    const auto client = ki::Client::Create(server.ClientConfig());
    if (!client) return Fail(client.error());
    const double rate = line.simulate_rate.value_or(static_cast<double>(line.simulate_pods) / 10);
    simulation = std::make_unique<PodSimulation>(
        *client,
        ki::apiserver::PodSimulationOptions{.pods = line.simulate_pods, .rate = rate, .logger = line.server.logger});
    filler = std::jthread([&simulation, &line](const std::stop_token& stop) {
      const auto filled = simulation->Populate(stop, [&](std::size_t done) {
        if (done % kProgressEvery == 0 && done < line.simulate_pods) {
          std::cerr << "simulation: " << done << " of " << line.simulate_pods << " pods\n";
        }
      });
      if (stop.stop_requested()) return;
      if (!filled) {
        std::cerr << "kinformer-apiserver: the simulation ends: " << ki::ToString(filled.error()) << "\n";
        return;
      }
      std::cout << "simulating " << line.simulate_pods << " pods" << std::endl;
      simulation->Start();
    });
  }
  signals.Await();
  filler.request_stop();
  if (filler.joinable()) filler.join();
  if (simulation) simulation->Stop();
  server.Stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto line = ki::apiserver::ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!line) {
    std::cerr << "kinformer-apiserver: " << line.error().message << "\n"
              << ki::apiserver::kUsage << "try: kinformer-apiserver --help\n";
    return kWrongUsage;
  }
  if (line->help) {
    std::cout << ki::apiserver::kUsage << ki::apiserver::kHelp;
    return 0;
  }
  if (line->version) {
    std::cout << "kinformer-apiserver " << ki::kVersion << "\n";
    return 0;
  }
  const Signals signals;
  return Run(*std::move(line), signals);
}
