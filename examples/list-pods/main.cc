// Lists the pods of a cluster, like `kubectl get pods`.
//
//   list-pods [--kubeconfig F] [--context C] [-n NAMESPACE | -A] [-l SELECTOR]

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

#include <kinformer/kinformer.h>

namespace ki = kinformer;
using ki::core::v1::Pod;

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

struct Arguments {
  ki::LoadOptions config{};
  ki::Selection selection{};
  bool all_namespaces = false;
  bool namespace_given = false;
};

int Usage(const std::string& problem) {
  std::cerr << "list-pods: " << problem << "\n"
            << "usage: list-pods [--kubeconfig F] [--context C] [-n NAMESPACE | -A] [-l SELECTOR]\n";
  return kWrongUsage;
}

int Fail(const ki::Error& error) {
  std::cerr << "list-pods: " << ki::ToString(error) << "\n";
  return kFailed;
}

void Print(const std::vector<Pod>& pods) {
  std::printf("%-20s %-50s %-10s %-5s %s\n", "NAMESPACE", "NAME", "STATUS", "READY", "NODE");
  for (const Pod& pod : pods) {
    std::printf("%-20s %-50s %-10s %-5s %s\n", std::string(pod.Namespace()).c_str(), std::string(pod.Name()).c_str(),
                pod.IsBeingDeleted() ? "Deleting" : pod.Phase().c_str(), pod.IsReady() ? "yes" : "no",
                pod.NodeName().c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-A" || word == "--all-namespaces") {
      arguments.all_namespaces = true;
      continue;
    }
    if (word != "--kubeconfig" && word != "--context" && word != "-n" && word != "--namespace" && word != "-l") {
      return Usage("unknown argument " + word);
    }
    if (i + 1 == words.size()) return Usage(word + " needs a value");
    const std::string& value = words[++i];
    if (word == "--kubeconfig") arguments.config.kubeconfig = value;
    if (word == "--context") arguments.config.context = value;
    if (word == "-l") arguments.selection.label_selector = value;
    if (word == "-n" || word == "--namespace") {
      arguments.selection.namespace_name = value;
      arguments.namespace_given = true;
    }
  }
  if (arguments.all_namespaces && arguments.namespace_given) return Usage("-n and -A exclude each other");
  if (auto selector = ki::LabelSelector::Parse(arguments.selection.label_selector); !selector) {
    return Usage("-l: " + selector.error().message);
  }

  const auto config = ki::Config::Load(arguments.config);
  if (!config) return Fail(config.error());
  const auto client = ki::Client::Create(*config);
  if (!client) return Fail(client.error());
  if (!arguments.all_namespaces && !arguments.namespace_given) {
    arguments.selection.namespace_name = client->DefaultNamespace();
  }
  ki::ListOptions options;
  if (isatty(STDERR_FILENO) != 0) {
    options.progress = [](const ki::ListProgress& progress) {
      std::cerr << "\rreading: " << progress.received << " pods";
      if (progress.remaining) std::cerr << ", " << *progress.remaining << " to come";
      std::cerr << "\033[K" << (progress.remaining ? "" : "\r\033[K");
    };
  }

  const auto pods = client->For<Pod>().List(arguments.selection, options);
  if (!pods) return Fail(pods.error());
  Print(pods->items);
  return 0;
}
