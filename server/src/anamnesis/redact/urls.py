"""Addresses that are a secret, or contain one: webhooks, deploy hooks, signed links. Data.

A row has the kind, a hint, and the expression, whose group `secret`, if there is one, is removed; it may
continue on an indented line.
"""

from __future__ import annotations

from anamnesis.redact.rules import Rule

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_TABLE = rf"""
slack-webhook       hooks.slack
    https?://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]{{16,}}
discord-webhook     /webhooks/
    https?://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{{10,}}/[\w-]{{20,}}
teams-webhook       .office.com/webhook        https?://[\w.-]+\.office\.com/webhook(?:b2)?/[\w@/-]{{24,}}
teams-webhook       .office365.com/webhook
    https?://[\w.-]+\.office365\.com/webhook(?:b2)?/[\w@/-]{{24,}}
googlechat-webhook  chat.googleapis.com
    https?://chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?[^\s"'`<>]{{24,}}
telegram-token      api.telegram.org
    api\.telegram\.org/(?:file/)?bot(?P<secret>\d{{6,12}}:[\w-]{{20,}})
mattermost-webhook  /hooks/                    https?://[\w.:-]+/hooks/(?P<secret>[a-z0-9]{{26}})(?![\w-])
rocketchat-webhook  /hooks/
    https?://[\w.:-]+/hooks/(?P<secret>[A-Za-z0-9]{{17,24}}/[A-Za-z0-9]{{30,}})
lark-webhook        /open-apis/bot/
    https?://open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]{{20,}}
wecom-webhook       qyapi.weixin.qq.com
    qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(?P<secret>[\w-]{{20,}})
dingtalk-webhook    oapi.dingtalk.com
    oapi\.dingtalk\.com/robot/send\?access_token=(?P<secret>[\w-]{{20,}})
zapier-webhook      hooks.zapier.com           https?://hooks\.zapier\.com/hooks/catch/[\w/-]{{8,}}
make-webhook        .make.com/                 https?://hook\.\w+\.make\.com/[\w-]{{16,}}
make-webhook        hook.integromat.com        https?://hook\.integromat\.com/[\w-]{{16,}}
ifttt-webhook       maker.ifttt.com
    maker\.ifttt\.com/(?:trigger/[\w-]+/(?:json/)?with|use)(?:/key)?/(?P<secret>[\w-]{{16,}})
n8n-webhook         /webhook                   https?://[\w.:-]+/webhook(?:-test)?/(?P<secret>{_UUID})
webex-webhook       webexapis.com              https?://webexapis\.com/v1/webhooks/incoming/[\w-]{{40,}}
webhook-site        webhook.site/              https?://webhook\.site/{_UUID}
healthcheck-url     hc-ping.com/               https?://hc-ping\.com/{_UUID}
deploy-hook         api.vercel.com
    https?://api\.vercel\.com/v\d/integrations/deploy/prj_\w+/\w{{8,}}
deploy-hook         /build_hooks/              https?://api\.netlify\.com/build_hooks/[0-9a-f]{{16,}}
deploy-hook         /deploy_hooks/
    https?://api\.cloudflare\.com/client/v4/pages/webhooks/deploy_hooks/{_UUID}
deploy-hook         api.render.com/deploy      api\.render\.com/deploy/srv-\w+\?key=(?P<secret>[\w-]{{8,}})
deploy-hook         /deploy/                   https?://[\w.:-]+/api/v\d/deploy/(?P<secret>{_UUID})
alchemy-key         .alchemy.com/              \.alchemy\.com/(?:nft/)?v\d/(?P<secret>[\w-]{{24,}})
infura-key          .infura.io/                \.infura\.io/(?:ws/)?v\d/(?P<secret>[0-9a-f]{{32}})
quicknode-key       .quiknode.pro/             \.quiknode\.pro/(?P<secret>[0-9a-f]{{32,}})
sumologic-url       sumologic
    collectors[\w.-]*\.sumologic\.com/receiver/v1/http/(?P<secret>[\w=+/-]{{40,}})
loggly-url          loggly.com                 loggly\.com/(?:inputs|bulk)/(?P<secret>{_UUID})
betterstack-url     /heartbeat/
    https?://[\w.]*(?:betteruptime|betterstack)\.com/api/v1/heartbeat/\w{{16,}}
google-calendar     /private-
    calendar\.google\.com/calendar/ical/[^\s/]+/private-(?P<secret>[0-9a-f]{{24,}})
url-signature       X-Amz-
    X-Amz-(?:Signature|Security-Token)=(?P<secret>[\w%+/=-]{{32,}})
url-signature       X-Goog-Signature           X-Goog-Signature=(?P<secret>[0-9a-f]{{64,}})
url-signature       Key-Pair-Id                [?&]Signature=(?P<secret>[\w~-]{{40,}})
url-signature       signature=                 [?&]signature=(?P<secret>[\w%+/=-]{{20,}})
azure-signature     sig=
    sig=(?P<secret>(?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{{2}}){{20,}}={{0,2}})
"""


def _read(row: str) -> Rule:
    kind, hint, pattern = row.split()
    return Rule(kind, (hint,), pattern)


URL_RULES = tuple(_read(row) for row in _TABLE.strip().replace("\n ", " ").splitlines())
