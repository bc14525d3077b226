#include <iostream>

#include <kinformer/api/json.h>
#include <shop_crds.h>

int main() {
  const example_com::v1::Page page{.metadata = {.name = "shop"}, .spec = {{.port = 80}}};
  std::cout << kinformer::api::ToJson(page) << '\n';
  return 0;
}
