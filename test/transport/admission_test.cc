#include "src/transport/admission.h"

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

TEST(AdmissionTest, OneRequestAtATimeLooksForAConnection) {
  Admission admission(/*speaks_http1=*/false);
  EXPECT_TRUE(admission.MayConnect());
  admission.OnPassed(1, /*shares=*/false);
  EXPECT_FALSE(admission.MayConnect());
  admission.OnPlaced(1);
  EXPECT_TRUE(admission.MayConnect());
  admission.OnPassed(2, false);
  admission.OnPlaced(1);
  EXPECT_FALSE(admission.MayConnect()) << "libcurl moved the first one to another connection";
}

TEST(AdmissionTest, ARequestThatEndsWithoutAConnectionMakesWayForTheNext) {
  Admission admission(false);
  admission.OnPassed(1, false);
  admission.OnEnded(1, /*had_connection=*/false);
  EXPECT_TRUE(admission.MayConnect());
}

TEST(AdmissionTest, WithHttp1EveryRequestMayConnect) {
  Admission admission(true);
  admission.OnPassed(1, false);
  EXPECT_TRUE(admission.MayConnect());
  admission.OnProtocol(/*http1=*/false);
  EXPECT_FALSE(admission.MayConnect());
  admission.OnProtocol(true);
  EXPECT_TRUE(admission.MayConnect());
}

TEST(AdmissionTest, OneRequestAtATimeTriesToShare) {
  Admission admission(false);
  admission.OnPassed(1, false);
  EXPECT_TRUE(admission.MayShare());
  admission.OnPassed(2, /*shares=*/true);
  EXPECT_FALSE(admission.MayShare());
  admission.OnPlaced(2);
  EXPECT_TRUE(admission.MayShare());
  EXPECT_FALSE(admission.MayConnect()) << "the first one still connects";
  admission.OnPassed(3, true);
  admission.OnEnded(3, false);
  EXPECT_TRUE(admission.MayShare()) << "it was cancelled";
}

TEST(AdmissionTest, AfterOneFoundNoRoomNoneTriesUntilThereMayBeSome) {
  Admission admission(false);
  admission.OnPassed(1, false);
  admission.OnPassed(2, true);
  admission.OnTakenBack(2);
  EXPECT_FALSE(admission.MayShare());
  EXPECT_FALSE(admission.MayConnect());
  admission.OnEnded(3, /*had_connection=*/true);
  EXPECT_TRUE(admission.MayShare()) << "a stream is free";
  admission.OnPassed(2, true);
  admission.OnTakenBack(2);
  EXPECT_FALSE(admission.MayShare());
  admission.OnConnectionEstablished();
  EXPECT_TRUE(admission.MayShare());
}

}  // namespace
}  // namespace kinformer::internal
