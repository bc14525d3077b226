#include <iostream>

#include <kinformer/codec/object.h>

int main() {
  const auto pod = kinformer::Object::Parse(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"default"},"spec":{"nodeName":"n7"}})");
  if (!pod) {
    std::cerr << pod.error().message << '\n';
    return 1;
  }
  std::cout << (*pod)->Namespace() << '/' << (*pod)->Name() << " on " << (*pod)->At("/spec/nodeName").StringOr("?")
            << '\n';
  return 0;
}
