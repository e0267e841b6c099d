"""Curation: merge, dedup, migrate and backfill. Pure functions plan, one function applies the plan.

    plan         a plan and its steps as values, and applying it
    likeness     which notes say the same
    merge        plans for notes that say the same, and for identical ones
    fields       plans for renamed project keys, and for missing sources and machines

No model is used. Planning changes nothing, and planning twice gives the same plan.
"""

from anamnesis.curate.fields import plan_backfill, plan_migrate
from anamnesis.curate.merge import plan_dedup, plan_merge
from anamnesis.curate.plan import Applied, Plan, Step, apply_plan

__all__ = [
    "Applied",
    "Plan",
    "Step",
    "apply_plan",
    "plan_backfill",
    "plan_dedup",
    "plan_merge",
    "plan_migrate",
]
