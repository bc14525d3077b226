#include <iostream>

#include <kinformer/kinformer.h>
#include <kinformer/testing/api_server.h>

int main() {
  kinformer::testing::ApiServer server;
  const auto client = server.Client();
  const auto created = server.Create(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"k":"v"}})");
  if (!created) {
    std::cerr << ToString(created.error()) << '\n';
    return 1;
  }
  const auto read = client.For<kinformer::core::v1::ConfigMap>().Get({"default", "a"});
  if (!read || read->Data("k") != "v") return 1;
  std::cout << "a controller's test has its server\n";
  return 0;
}
