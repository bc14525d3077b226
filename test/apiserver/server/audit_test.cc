// The server's audit log.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "test/apiserver/server/server_fixture.h"
#include "test/support/temp_dir.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Collects audit lines and parses them.
class Lines {
 public:
  std::function<void(std::string_view)> Sink() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      text_ += line;
      lines_.push_back(json::parse(line, nullptr, false));
    };
  }
  std::vector<json> All() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::string Text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  /// The lines for one verb.
  std::vector<json> Of(const std::string& verb) const {
    std::vector<json> those;
    for (const json& line : All()) {
      if (line["verb"] == verb) those.push_back(line);
    }
    return those;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
  std::vector<json> lines_;
};

class AuditTest : public ServerTest {
 protected:
  Lines lines_;  // outlives the server, which TearDown stops
};

TEST_F(AuditTest, EveryRequestHasALineThatSaysWhoWhatAndHowItEnded) {
  StartServer({.rbac = true, .audit = lines_.Sink()});
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("secretly-named", "do-not-tell")));
  const std::vector<json> created = lines_.Of("create");
  ASSERT_EQ(created.size(), 1U);
  const json& line = created[0];
  EXPECT_EQ(line["kind"], "Event");
  EXPECT_EQ(line["apiVersion"], "audit.k8s.io/v1");
  EXPECT_EQ(line["level"], "Metadata");
  EXPECT_EQ(line["stage"], "ResponseComplete");
  EXPECT_EQ(line["auditID"].get<std::string>().size(), 36U);
  EXPECT_EQ(line["user"],
            json({{"username", "kinformer-admin"}, {"groups", {"system:masters", "system:authenticated"}}}));
  EXPECT_EQ(line["sourceIPs"], json({"127.0.0.1"}));
  EXPECT_EQ(line["objectRef"], json({{"resource", "configmaps"}, {"namespace", "default"}, {"apiVersion", "v1"}}));
  EXPECT_EQ(line["responseStatus"]["code"], 201);
  EXPECT_THAT(line["requestURI"].get<std::string>(), HasSubstr("/api/v1/namespaces/default/configmaps"));
  EXPECT_EQ(line["annotations"]["authorization.k8s.io/decision"], "allow");
  EXPECT_LE(line["requestReceivedTimestamp"].get<std::string>(), line["stageTimestamp"].get<std::string>());

  EXPECT_FALSE(Raw("/api/v1/namespaces/default/configmaps/none", "GET", "",
                   {{"Audit-ID", "mine-1"}, {"Impersonate-User", "joe"}, {"User-Agent", "test/1"}}));
  const json refused = lines_.Of("get").at(0);
  EXPECT_EQ(refused["auditID"], "mine-1");
  EXPECT_EQ(refused["impersonatedUser"], json({{"username", "joe"}, {"groups", {"system:authenticated"}}}));
  EXPECT_EQ(refused["objectRef"]["name"], "none");
  EXPECT_EQ(refused["responseStatus"]["code"], 403);
  EXPECT_EQ(refused["annotations"]["authorization.k8s.io/decision"], "forbid");
  EXPECT_EQ(refused["userAgent"], "test/1");

  EXPECT_THAT(lines_.Text(), Not(HasSubstr("do-not-tell"))) << "nothing of bodies";
  EXPECT_THAT(lines_.Text(), Not(HasSubstr(server_->Token().Reveal()))) << "nor of credentials";
}

TEST_F(AuditTest, TokensInAnUriAreNotRepeated) {
  StartServer({.audit = lines_.Sink()});
  EXPECT_TRUE(Raw("/version?access_token=hunter2&a=b&access%5Ftoken=hunter2&ACCESS_TOKEN=hunter2"));
  ASSERT_EQ(lines_.All().size(), 1U);
  EXPECT_EQ(lines_.All()[0]["requestURI"],
            "/version?access_token=REDACTED&a=b&access_token=REDACTED&access_token=REDACTED");
  EXPECT_THAT(lines_.Text(), Not(HasSubstr("hunter2")));
}

TEST_F(AuditTest, WhoIsNotLetInHasALineToo) {
  StartServer({.audit = lines_.Sink()});
  Config config = server_->ClientConfig();
  config.token = Secret("wrong");
  const Client stranger = Client::Create(config, {.max_retries = 0}).value();
  EXPECT_FALSE(stranger.Raw({.method = "GET", .target = "/api/v1/pods"}).ok());
  ASSERT_EQ(lines_.Of("list").size(), 1U);
  EXPECT_EQ(lines_.Of("list")[0]["responseStatus"]["code"], 401);
  EXPECT_EQ(lines_.Of("list")[0]["user"], json::object());
}

TEST_F(AuditTest, AWatchHasALineWhenItBeginsAndOneWhenItEnds) {
  StartServer({.audit = lines_.Sink()});
  {
    Result<WatchStream> watch = ConfigMaps().Watch({});
    ASSERT_TRUE(watch);
    EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
    ASSERT_EQ(lines_.Of("watch").size(), 1U);
    EXPECT_EQ(lines_.Of("watch")[0]["stage"], "ResponseStarted");
  }
  ASSERT_TRUE(Await([&] { return lines_.Of("watch").size() == 2; })) << "its client has gone";
  EXPECT_EQ(lines_.Of("watch")[1]["stage"], "ResponseComplete");
  EXPECT_EQ(lines_.Of("watch")[1]["auditID"], lines_.Of("watch")[0]["auditID"]);
}

TEST_F(AuditTest, AFileHasWholeLinesWhoeverWrites) {
  const testing_support::TempDir dir;
  const std::string path = (dir.path() / "audit.log").string();
  StartServer({.audit_file = path});
  constexpr int kThreads = 4;
  constexpr int kEach = 25;
  {
    std::vector<std::jthread> writers;
    for (int t = 0; t < kThreads; ++t) {
      writers.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          EXPECT_TRUE(ConfigMaps().Create(*ConfigMap("c" + std::to_string(t) + "-" + std::to_string(i))));
        }
      });
    }
  }
  std::ifstream file(path);
  std::set<std::string> ids;
  for (std::string line; std::getline(file, line);) {
    const json event = json::parse(line, nullptr, false);
    ASSERT_FALSE(event.is_discarded()) << line;
    if (event["verb"] == "create") ids.insert(event["auditID"]);
  }
  EXPECT_EQ(ids.size(), std::size_t{kThreads} * kEach);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(AuditTest, AFileThatCannotBeOpenedIsAnErrorAtStart) {
  ApiServer server({.audit_file = "/nonexistent/audit.log"});
  const Result<void> started = server.Start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("/nonexistent/audit.log"));
}

TEST_F(AuditTest, LinesThatCannotBeWrittenAreToldOnceAndCounted) {
  // A device on which every write fails (no space left).
  std::mutex mutex;
  std::vector<std::string> told;
  const Logger logger(
      [&](const LogRecord& record) {
        const std::lock_guard lock(mutex);
        if (record.message.find("audit") != std::string_view::npos) told.emplace_back(record.message);
      },
      LogLevel::kWarning);
  StartServer({.audit_file = "/dev/full", .logger = logger});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ConfigMaps().List());
  const Result<RawResponse> metrics = Raw("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_THAT(metrics->body, HasSubstr("apiserver_audit_error_total 3\n"));
  TearDown();  // the logger's captures live in this function
  EXPECT_EQ(told.size(), 1U);
}

}  // namespace
}  // namespace kinformer
