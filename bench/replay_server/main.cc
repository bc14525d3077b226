// kinformer-bench-server: replays an API server's pods from memory for the informer benchmarks. A separate process, so
// that its resource use is not attributed to the client. Exits at end of input, on SIGTERM, and with its parent.

#include <signal.h>
#include <sys/prctl.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/replay_server/pod_bytes.h"
#include "bench/replay_server/replay_server.h"

namespace kinformer::bench {
namespace {

constexpr std::string_view kUsage =
    "usage: kinformer-bench-server [--pods N] [--port N] [--protobuf FILE] [--bookmark-seconds S]\n"
    "       kinformer-bench-server [--pods N] --dump-pods FILE\n"
    "\n"
    "Prints \"url=...\" when it serves. Commands on standard input, whose end is the server's:\n"
    "  events COUNT [PER_SECOND]  updates on every open watch; as fast as the client reads without a rate\n"
    "  expire PART                ends every open watch with 410; that part (0 to 1) of the pods has changed since\n"
    "\n"
    "--dump-pods writes the pods for client-go-peer --encode-pods, whose output --protobuf takes.\n";
constexpr int kWrongUsage = 2;
constexpr std::uint64_t kMaxPods = 1'000'000;

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CommandLine {
  std::size_t pods = 20000;
  int port = 0;
  std::string protobuf{};
  std::string dump{};
  std::chrono::seconds bookmark_every{60};
};

std::uint64_t Number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    throw Usage(std::string(option) + ": \"" + std::string(text) + "\" is not a number from " + std::to_string(least) +
                " to " + std::to_string(most));
  }
  return number;
}

CommandLine Parse(const std::vector<std::string>& words) {
  CommandLine line;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& option = words[i];
    if (i + 1 == words.size()) throw Usage("unknown argument " + option + ", or it needs a value");
    const std::string& value = words[i + 1];
    if (option == "--pods") {
      line.pods = Number(option, value, 0, kMaxPods);
    } else if (option == "--port") {
      line.port = static_cast<int>(Number(option, value, 0, 65535));
    } else if (option == "--bookmark-seconds") {
      line.bookmark_every = std::chrono::seconds(Number(option, value, 1, 3600));
    } else if (option == "--protobuf") {
      line.protobuf = value;
    } else if (option == "--dump-pods") {
      line.dump = value;
    } else {
      throw Usage("unknown argument " + option);
    }
  }
  return line;
}

std::string NamespaceOf(const std::string& pod) {
  constexpr std::string_view kBefore = R"("namespace":")";
  const std::size_t begin = pod.find(kBefore) + kBefore.size();
  return pod.substr(begin, pod.find('"', begin) - begin);
}

void Dump(const std::vector<std::string>& pods, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  for (const std::string& pod : pods) out << pod << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

void Obey(ReplayServer& server, const std::string& text) {
  std::istringstream words(text);
  std::string verb;
  words >> verb;
  double part = 0;
  double per_second = 0;
  std::uint64_t count = 0;
  if (verb == "events" && words >> count) {
    words >> per_second;
    server.SendEvents(count, per_second);
  } else if (verb == "expire" && words >> part) {
    server.Expire(part);
  } else {
    std::cerr << "kinformer-bench-server: unknown command: " << text << "\n";
  }
}

void Run(const CommandLine& line) {
  std::vector<std::string> pods = StampedPods(line.pods);
  if (!line.dump.empty()) return Dump(pods, line.dump);
  ReplayServerOptions options{.json = JsonPodBytes(pods), .port = line.port, .bookmark_every = line.bookmark_every};
  if (!line.protobuf.empty()) options.protobuf = ProtobufPodBytes(line.protobuf, pods.size());
  for (std::size_t i = 0; i < line.pods; ++i) options.namespaces.push_back(NamespaceOf(pods[i]));
  pods = {};
  ReplayServer server(std::move(options));
  server.Start();
  std::cout << "url=http://127.0.0.1:" << server.port() << std::endl;
  for (std::string command; std::getline(std::cin, command);) {
    if (!command.empty()) Obey(server, command);
  }
}

}  // namespace
}  // namespace kinformer::bench

int main(int argc, char** argv) {
  using namespace kinformer::bench;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && (words[0] == "-h" || words[0] == "--help")) {
      std::cout << kUsage;
      return 0;
    }
    Run(Parse(words));
    return 0;
  } catch (const Usage& wrong) {
    std::cerr << "kinformer-bench-server: " << wrong.what() << "\n" << kUsage;
    return kWrongUsage;
  } catch (const std::exception& failure) {
    std::cerr << "kinformer-bench-server: " << failure.what() << "\n";
    return 1;
  }
}
