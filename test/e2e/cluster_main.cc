// Runs a cluster for scripts: e2e-cluster kube-apiserver|kinformer-apiserver FOLDER
//
// Writes FOLDER/kubeconfig (the administrator, by certificate) and FOLDER/token, prints "ready" and serves until end of
// file on standard input. Only these files remain afterwards.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "test/e2e/cluster.h"

namespace {

void WritePrivately(const std::filesystem::path& file, const std::string& content) {
  std::ofstream out(file, std::ios::trunc);
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  out << content;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace

int main(int argc, char** argv) {
  using kinformer::e2e::NameOf;
  using kinformer::e2e::ServerKind;
  const std::string name = argc == 3 ? argv[1] : "";
  if (name != NameOf(ServerKind::kKubeApiserver) && name != NameOf(ServerKind::kKinformerApiserver)) {
    std::fprintf(stderr, "usage: e2e-cluster kube-apiserver|kinformer-apiserver FOLDER\n");
    return 2;
  }
  try {
    const bool kube = name == NameOf(ServerKind::kKubeApiserver);
    kinformer::e2e::Cluster cluster(kube ? ServerKind::kKubeApiserver : ServerKind::kKinformerApiserver,
                                    kinformer::e2e::Programs::FromEnvironment());
    const std::filesystem::path folder = argv[2];
    WritePrivately(folder / "kubeconfig", cluster.KindKubeconfig());
    WritePrivately(folder / "token", cluster.token());
    std::printf("ready\n");
    std::fflush(stdout);
    char ignored = 0;
    while (read(STDIN_FILENO, &ignored, 1) > 0) {
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "e2e-cluster: %s\n", e.what());
    return 1;
  }
}
