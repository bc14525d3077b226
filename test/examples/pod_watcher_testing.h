#ifndef KINFORMER_TEST_EXAMPLES_POD_WATCHER_TESTING_H_
#define KINFORMER_TEST_EXAMPLES_POD_WATCHER_TESTING_H_

#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer::testing_support {

#if defined(__clang__)  // of the sanitized builds: they look for leaks at the end, which takes its time
inline constexpr std::chrono::milliseconds kAtOnce{5000};
#else
inline constexpr std::chrono::milliseconds kAtOnce{200};
#endif

nlohmann::json PodJson(const std::string& name, const std::string& version, const std::string& phase);
nlohmann::json PodListJson(const std::vector<nlohmann::json>& pods, nlohmann::json metadata);
/// A line of a watch.
std::string EventLine(const std::string& type, const nlohmann::json& object);
/// The path of a kubeconfig for the server.
std::string WriteKubeconfig(const TempDir& dir, const ScriptedServer& server);

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_EXAMPLES_POD_WATCHER_TESTING_H_
