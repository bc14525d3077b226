#include "src/apiserver/access/rbac_authorizer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "test/apiserver/access/rbac_objects.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// The lists of RBAC objects behind an authorizer.
class Lists {
 public:
  RbacLister Lister() {
    return [this](std::string_view resource) -> Result<RbacList> {
      const std::lock_guard lock(mutex_);
      if (down_) return Error{.code = ErrorCode::kServer, .message = "storage is down", .http_status = 500};
      return RbacList{lists_[std::string(resource)], std::to_string(version_)};
    };
  }
  void Set(const std::string& resource, std::vector<ObjectPtr> objects) {
    const std::lock_guard lock(mutex_);
    lists_[resource] = std::move(objects);
    ++version_;
  }
  void Advance() {
    const std::lock_guard lock(mutex_);
    ++version_;
  }
  void SetDown(bool down) {
    const std::lock_guard lock(mutex_);
    down_ = down;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<ObjectPtr>> lists_;
  int version_ = 1;
  bool down_ = false;
};

const UserInfo kJaneAlone{"jane", {}};
const ObjectPtr kReader = ClusterRole("r", {{{"apiGroups", {""}}, {"resources", {"pods"}}, {"verbs", {"list"}}}});

TEST(RbacAuthorizer, FollowsTheListsAndCompilesOnlyWhatHasChanged) {
  Lists lists;
  RbacAuthorizer authorizer(lists.Lister());
  const RequestInfo request = Asked("GET /api/v1/pods");
  EXPECT_FALSE(authorizer.Check(kJaneAlone, request).allowed);
  lists.Set("clusterroles", {kReader});
  lists.Set("clusterrolebindings", {Binding("", "b", "ClusterRole/r", {User("jane")})});
  EXPECT_TRUE(authorizer.Check(kJaneAlone, request).allowed);
  const std::uint64_t compiled = authorizer.Compilations();
  EXPECT_TRUE(authorizer.Check(kJaneAlone, request).allowed);
  lists.Advance();  // a write to an unrelated resource
  EXPECT_TRUE(authorizer.Check(kJaneAlone, request).allowed);
  EXPECT_EQ(authorizer.Compilations(), compiled);
  lists.Set("clusterrolebindings", {});
  EXPECT_FALSE(authorizer.Check(kJaneAlone, request).allowed);
  EXPECT_EQ(authorizer.Compilations(), compiled + 1);
}

TEST(RbacAuthorizer, GoesByTheLastListsWhileThereAreNoNewOnes) {
  Lists lists;
  lists.SetDown(true);
  RbacAuthorizer authorizer(lists.Lister());
  const RequestInfo request = Asked("GET /api/v1/pods");
  EXPECT_EQ(authorizer.Check(kJaneAlone, request).reason, "RBAC: storage is down");
  EXPECT_TRUE(authorizer.Check({"root", {"system:masters"}}, request).allowed);
  lists.SetDown(false);
  lists.Set("clusterroles", {kReader});
  lists.Set("clusterrolebindings", {Binding("", "b", "ClusterRole/r", {User("jane")})});
  EXPECT_TRUE(authorizer.Check(kJaneAlone, request).allowed);
  lists.SetDown(true);
  EXPECT_TRUE(authorizer.Check(kJaneAlone, request).allowed);
}

TEST(RbacAuthorizer, ManyAskWhileTheRulesChange) {
  Lists lists;
  lists.Set("clusterroles", {kReader});
  RbacAuthorizer authorizer(lists.Lister());
  const RequestInfo request = Asked("GET /api/v1/pods");
  const auto binding = [](int i) { return Binding("", "b" + std::to_string(i), "ClusterRole/r", {User("jane")}); };
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < 4; ++i) {
      askers.emplace_back([&] {
        for (int n = 0; n < 200; ++n) {
          authorizer.Check(kJaneAlone, request);
          ++answered;
        }
      });
    }
    for (int i = 0; i < 100; ++i) {
      lists.Set("clusterrolebindings", i % 2 == 0 ? std::vector<ObjectPtr>{binding(i)} : std::vector<ObjectPtr>{});
    }
  }
  EXPECT_EQ(answered, 800);
  lists.Set("clusterrolebindings", {binding(100)});
  EXPECT_TRUE(authorizer.Check(kJaneAlone, request).allowed);
  lists.Set("clusterrolebindings", {});
  EXPECT_FALSE(authorizer.Check(kJaneAlone, request).allowed);
}

}  // namespace
}  // namespace kinformer::apiserver
