#include "src/apiserver/endpoints/health_checks.h"

#include <string_view>

namespace kinformer::apiserver {
namespace {

std::string HealthLine(std::string_view name, const Result<void>& result, bool with_reason) {
  if (result) return "[+]" + std::string(name) + " ok\n";
  return "[-]" + std::string(name) + " failed: " + (with_reason ? result.error().message : "reason withheld") + "\n";
}

}  // namespace

bool HealthChecks::IsSummary(const std::string& path) {
  return path == "/healthz" || path == "/livez" || path == "/readyz";
}

bool HealthChecks::AsksStorage(const std::string& path) { return IsSummary(path) && path != "/livez"; }

Reply HealthChecks::Summary(const ApiCall& call, const Result<void>* storage) const {
  // A real server withholds reasons from everyone; here only from unauthenticated clients.
  const bool with_reasons = !call.user.InGroup(kUnauthenticatedGroup);
  std::string lines = "[+]ping ok\n";
  bool good = true;
  const auto add = [&](std::string_view name, const Result<void>& result) {
    good = good && result.ok();
    lines += HealthLine(name, result, with_reasons);
  };
  if (storage != nullptr) add("storage", *storage);
  if (call.info.path != "/livez") {
    for (const HealthCheck& check : checks_) add(check.name, check.run());
  }
  const std::string check = call.info.path.substr(1);
  if (!good) return TextReply(500, lines + check + " check failed\n");
  const bool verbose = call.info.query.Find("verbose") != nullptr;
  return TextReply(200, verbose ? lines + check + " check passed\n" : "ok");
}

std::optional<Reply> HealthChecks::Single(const std::string& path) const {
  if (path == "/healthz/ping" || path == "/livez/ping" || path == "/readyz/ping") return TextReply(200, "ok");
  for (const HealthCheck& check : checks_) {
    if (path != "/healthz/" + check.name && path != "/readyz/" + check.name) continue;
    const Result<void> result = check.run();
    if (result) return TextReply(200, "ok");
    return TextReply(500, "internal server error: " + result.error().message + "\n");
  }
  return std::nullopt;
}

}  // namespace kinformer::apiserver
