// error: (TheNamesAreNotSorted|does not have a constant initializer)
#include <cstddef>

#include <kinformer/api/generated.h>

namespace api = kinformer::api;

struct Pair {
  api::Field<std::string> a{};
  api::Field<std::string> b{};
  api::Rest rest_{};

  static const api::internal::Type kType;
};

constexpr api::internal::Member kMembers[] = {
#ifdef WRONG
    api::internal::Named<decltype(Pair::b)>("b", offsetof(Pair, b)),
    api::internal::Named<decltype(Pair::a)>("a", offsetof(Pair, a)),
#else
    api::internal::Named<decltype(Pair::a)>("a", offsetof(Pair, a)),
    api::internal::Named<decltype(Pair::b)>("b", offsetof(Pair, b)),
#endif
};
constinit const api::internal::Type Pair::kType = api::internal::StructType<Pair>(kMembers, offsetof(Pair, rest_));
